// A consumer's test suite: an app of its own, tested against the mock server, every test in an account of its own.
import { test } from "@landing-page-service/mock-server/vitest";
import { LandingPages } from "@landing-page-service/sdk";
import { expect } from "vitest";
