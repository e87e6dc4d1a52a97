#!/usr/bin/env node
// The name of the command in 0.2. The next release removes it.
process.stderr.write(
  "landing-page-mock is called landing-pages-mock now, and its variables begin with LANDING_PAGES_MOCK_. Everything else is as it was.\n",
);
process.exitCode = 2;
