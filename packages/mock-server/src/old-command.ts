#!/usr/bin/env node
// The name that the command had in 0.2. It goes with the next release.
process.stderr.write(
  "landing-page-mock is called landing-pages-mock now, and its variables begin with LANDING_PAGES_MOCK_. Everything else is as it was.\n",
);
process.exitCode = 2;
