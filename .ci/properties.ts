// Property tests try the same cases in every run, so that a red run can be repeated; PROPERTY_SEED=random tries fresh ones.
import { configureGlobal, readConfigureGlobal } from "fast-check";

const seed = process.env["PROPERTY_SEED"] ?? "1";

if (seed !== "random") configureGlobal({ ...readConfigureGlobal(), seed: Number(seed) });
