// Runs before a package is packed, on any Node, and refuses to make a broken tarball.
const { npm_config_user_agent: agent = "", npm_package_name: name = "this package" } = process.env;

if (!agent.startsWith("pnpm/")) {
  console.error(
    `${name} is packed by pnpm, which puts its published entries in place: run "npx -y pnpm@10.34.8 pack" here; the release workflow publishes what that makes.`,
  );
  process.exitCode = 1;
}
