/** Refuses a vitest without what the fixtures need. The other entry points do without vitest, so its version is no reason not to install them. */
export function checkVitestVersion(version: string): void {
  if (Number.parseInt(version, 10) >= 4) return;
  throw new Error(
    `@landing-page-service/mock-server/vitest needs vitest 4 or newer, and this is vitest ${version}; useMockService from @landing-page-service/mock-server/assert works with it.`,
  );
}
