import { useComputed } from "@preact/signals";
import { call, type Fault, type WholeRequest } from "./api.ts";
import { attempt, CopyButton, formatDateTime, formatJson, quote, useRead } from "./parts.tsx";
import { goTo, linkTo, noteChange, place, requests } from "./state.ts";

/** A request and its response, in full. */
export function RequestDetail({ id }: { readonly id: string }) {
  const { data, problem } = useRead<WholeRequest>(`requests/${encodeURIComponent(id)}`, { isFixed: true });
  const account = useComputed(() => requests.value.find((request) => request.id === id)?.account).value;
  return (
    <>
      <button type="button" class="back" onClick={() => goTo({ id: "" })}>
        Back to the list
      </button>
      {problem !== "" && <p class="problem">{problem}</p>}
      {data && <Whole request={{ ...data, ...(account !== undefined && { account }) }} />}
    </>
  );
}

function Whole({ request }: { readonly request: WholeRequest }) {
  const {
    method,
    path,
    query,
    status,
    endpoint,
    account,
    startedAtMs,
    attempt: number,
    fault,
    pageId,
    answer,
  } = request;
  return (
    <>
      <h2 class="path">
        {method} {path}
        {query !== "" && `?${query}`}
      </h2>
      <dl class="facts">
        <Fact
          name="Response"
          value={
            answer.wire === undefined
              ? String(status ?? "none: the client disconnected")
              : `${answer.wire} (connection broken)`
          }
        />
        <Fact name="Duration" value={`${answer.durationMs.toFixed(0)} ms`} />
        <Fact name="Received" value={formatDateTime(startedAtMs)} />
        <Fact name="Account" value={account ?? "none: missing or unknown key"} />
        <Fact name="Endpoint" value={endpoint ?? "none"} />
        {number !== undefined && <Fact name="Attempt" value={`${number}, by Idempotency-Key`} />}
        {fault !== undefined && <FaultFact id={fault} />}
        {pageId !== undefined && (
          <div>
            <dt>Page</dt>
            <dd>
              <a href={linkTo({ room: "pages", id: pageId })}>{pageId}</a>
            </dd>
          </div>
        )}
      </dl>
      <div class="buttons">
        <CopyButton label="Copy as curl" text={() => writeCurl(request)} />
        <CopyButton label="Copy as fault" text={() => JSON.stringify(faultLike(request))} />
        <button type="button" onClick={() => attempt(() => planFault(request))}>
          Fail next matching request
        </button>
      </div>
      <Side title="Request" headers={request.headers} body={request.body} bytes={request.bodyBytes} />
      <Side title="Response" headers={answer.headers} body={answer.body} />
    </>
  );
}

/** The fault that fired, as it was planned. It may have been removed since. */
function FaultFact({ id }: { readonly id: string }) {
  const { data } = useRead<Fault>(`faults/${encodeURIComponent(id)}`, { isFixed: true });
  const { key: _, ...rule } = data?.rule ?? {};
  return (
    <div class="wide">
      <dt>Fault</dt>
      <dd>
        <a href={linkTo({ room: "control", id: "" })}>
          <code>{data === undefined ? id : JSON.stringify(rule)}</code>
        </a>
      </dd>
    </div>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Side({
  title,
  headers,
  body,
  bytes,
}: {
  readonly title: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  /** Length of the whole body, where it is known. */
  readonly bytes?: number;
}) {
  const isCut = bytes === undefined ? new TextEncoder().encode(body).length >= keptBytes : bytes > keptBytes;
  return (
    <section class="side" aria-label={title}>
      <h3>{title}</h3>
      <table class="headers">
        <tbody>
          {Object.entries(headers).map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {body === "" ? (
        <p class="hint">No body.</p>
      ) : (
        <pre tabIndex={0} dir="auto" aria-label={`Body of the ${title.toLowerCase()}`}>
          {formatJson(body)}
        </pre>
      )}
      {isCut && (
        <p class="hint">
          Only the first 64 KiB{bytes !== undefined && ` of ${bytes.toLocaleString("en")} bytes`} are kept.
        </p>
      )}
    </section>
  );
}

/** What the journal keeps of a body. */
const keptBytes = 64 * 1024;

const left = /^(?:host|connection|content-length|transfer-encoding|authorization|accept-encoding|user-agent|sec-.*)$/i;

/** The request as a shell command. It reads a body that was not kept whole from a file. */
function writeCurl({ method, path, query, headers, body, bodyBytes, account = "" }: WholeRequest): string {
  const key = /^test_[^…]*$/.test(account)
    ? quote(`Authorization: Bearer ${account}`)
    : '"Authorization: Bearer $LANDING_PAGES_API_KEY"';
  const others = Object.entries(headers).filter(([name, value]) => !left.test(name) && value !== "[redacted]");
  const target = `${path}${query === "" ? "" : `?${query}`}`;
  const asItIs = `${/[[\]{}]/.test(target) ? " -g" : ""}${path.includes("/.") ? " --path-as-is" : ""}`;
  const parts = [
    `curl -i${asItIs} -X ${quote(method)} ${quote(location.origin + target)}`,
    `-H ${key}`,
    ...others.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    // Raw: a body that begins with @ names no file.
    ...(body === "" ? [] : [bodyBytes > keptBytes ? "--data-binary @body.json" : `--data-raw ${quote(body)}`]),
  ];
  return parts.join(" \\\n  ");
}

/** A fault that makes the next request of this kind fail as this one did, or with 500 if this one succeeded. */
function faultLike({ method, path, endpoint, pageId, answer }: WholeRequest): Record<string, unknown> {
  const { account } = place.value;
  const about =
    endpoint === undefined
      ? { method, path }
      : { endpoint, ...(endpoint !== "createPage" && pageId !== undefined && { pageId }) };
  const outcome =
    answer.wire === undefined
      ? { status: answer.status !== undefined && answer.status >= 400 ? answer.status : 500 }
      : { wire: answer.wire };
  return { ...(account !== "" && { key: account }), ...about, ...outcome, times: 1 };
}

async function planFault(request: WholeRequest): Promise<string> {
  const rule = faultLike(request);
  await call("POST", "faults", rule);
  noteChange();
  return `The next ${request.endpoint ?? request.method} request will fail.`;
}
