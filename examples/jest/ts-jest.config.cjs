// Jest compiles TypeScript with ts-jest, which also checks the types.
module.exports = { transform: { "\\.ts$": "ts-jest" } };
