// Jest compiles TypeScript with swc.
module.exports = { transform: { "\\.ts$": "@swc/jest" } };
