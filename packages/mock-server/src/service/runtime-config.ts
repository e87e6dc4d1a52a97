import { type ReferenceSchemas, referenceSchemas, type Switches } from "@landing-page-service/contract";
import { type Dialect, type DialectChoice, resolveDialect } from "@landing-page-service/contract/dialect";
import { ArgumentError } from "../argument.ts";
import { createFindPage, type FindPage } from "../dialect/page-ids.ts";
import { createRenderer, type Render } from "../dialect/renderer.ts";
import type { DomainNetwork } from "../domains/network.ts";

/** A dialect, and the objects made from it. */
interface DialectParts {
  readonly dialect: Dialect;
  readonly switches: Switches;
  readonly render: Render;
  readonly inputs: ReferenceSchemas;
  /** Finds a page by its identifier as the dialect writes it. */
  readonly findPage: FindPage;
  /** Whether a template has a place for a second domain of a page. */
  readonly needsAlias: boolean;
}

/** Runtime configuration of a service. Immutable; an update stores a new object. */
export interface RuntimeConfig extends DialectParts {
  readonly network: DomainNetwork;
}

/** Replaces the dialect of a configuration. @throws {TypeError} when its identifiers are of another type. */
export function withDialect(config: RuntimeConfig, choice: DialectChoice): RuntimeConfig {
  const parts = readDialect(choice);
  const [type, wanted] = [config.switches["page-id-type"], parts.switches["page-id-type"]];
  if (type !== wanted)
    throw new ArgumentError(
      `dialect: page-id-type stays ${JSON.stringify(type)} while the service runs, got ${wanted}`,
    );
  return { ...config, ...parts };
}

/** Shared by services, because a suite makes one for each test and the schemas are costly. */
const known = new WeakMap<Dialect, DialectParts>();

/** Makes the renderer and the schemas of a dialect. @throws {TypeError} when the dialect is not valid. */
export function readDialect(choice: DialectChoice | undefined): DialectParts {
  const dialect = resolveDialect(choice);
  const { switches } = dialect;
  const parts = known.get(dialect) ?? {
    dialect,
    switches,
    render: createRenderer(dialect),
    inputs: referenceSchemas(switches),
    findPage: createFindPage(dialect),
    needsAlias: /\{alias\./.test(JSON.stringify(dialect.answers)),
  };
  known.set(dialect, parts);
  return parts;
}
