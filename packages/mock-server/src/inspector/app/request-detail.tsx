import { call, type Fault, type WholeRequest } from "./api.ts";
import { Action, CopyButton, formatDateTime, formatJson, quote, useRead, Values } from "./parts.tsx";
import { linkTo, noteChange, route, requests } from "./state.ts";

/** A request and its response with headers and bodies. */
export function RequestDetail({ id }: { readonly id: string }) {
  const { data, problem } = useRead<WholeRequest>(`requests/${encodeURIComponent(id)}`, { isFixed: true });
  if (data === undefined) return <p class="problem">{problem}</p>;
  const { method, path, query, status, endpoint, fault, pageId, answer, ...rest } = data;
  // The journal redacts the API key, which is also the name of the account.
  const account = requests.value.find((request) => request.id === id)?.account ?? rest.account;
  const broken = answer.wire === undefined ? "" : `${answer.wire} (connection broken)`;
  const request = { ...data, ...(account !== undefined && { account }) };
  return (
    <>
      <h2 class="path">
        {method} {path}
        {query !== "" && `?${query}`}
      </h2>
      <Values
        rows={[
          ["Response", broken || (status ?? "none: the client disconnected")],
          ["Duration", `${answer.durationMs.toFixed(0)} ms`],
          ["Received", formatDateTime(rest.startedAtMs)],
          ["Account", account ?? "none: missing or unknown key"],
          ["Endpoint", endpoint ?? "none"],
          ["Attempt", rest.attempt && `${rest.attempt}, by Idempotency-Key`],
          ["Fault", fault && <FaultLink id={fault} />],
          ["Page", pageId && <a href={linkTo({ view: "pages", id: pageId })}>{pageId}</a>],
        ]}
      />
      <div class="buttons">
        <CopyButton label="Copy as curl" text={() => writeCurl(request)} />
        <CopyButton label="Copy as fault" text={() => JSON.stringify(faultLike(request))} />
        <Action run={() => planFault(request)}>Fail next matching request</Action>
      </div>
      <Message title="Request" {...request} />
      <Message title="Response" {...answer} />
    </>
  );
}

/** The rule of the fault that fired. The fault may have been removed since. */
function FaultLink({ id }: { readonly id: string }) {
  const { data } = useRead<Fault>(`faults/${encodeURIComponent(id)}`, { isFixed: true });
  const { key: _, ...rule } = data?.rule ?? {};
  return <a href={linkTo({ view: "control", id: "" })}>{data === undefined ? id : JSON.stringify(rule)}</a>;
}

interface MessageProps {
  readonly title: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  /** Length of the whole body, if known. */
  readonly bodyBytes?: number;
}

function Message({ title, headers, body, bodyBytes }: MessageProps) {
  const bytes = bodyBytes ?? new TextEncoder().encode(body).length;
  const isCut = bodyBytes === undefined ? bytes >= keptBytes : bytes > keptBytes;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <Values rows={Object.entries(headers)} />
      {body === "" ? (
        <p class="hint">No body.</p>
      ) : (
        <pre tabIndex={0} dir="auto" aria-label={`Body of the ${title.toLowerCase()}`}>
          {formatJson(body)}
        </pre>
      )}
      {isCut && (
        <p class="hint">
          Only the first 64 KiB
          {bodyBytes && ` of ${bodyBytes.toLocaleString("en")} bytes`} are kept.
        </p>
      )}
    </section>
  );
}

/** The part of a body that the journal keeps. */
const keptBytes = 64 * 1024;

const left = /^(?:host|connection|content-length|transfer-encoding|authorization|accept-encoding|user-agent|sec-.*)$/i;

/** The request as a shell command. If the journal has only a part of the body, the command reads it from a file. */
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
    // `--data-raw`, because otherwise a body that starts with @ would name a file.
    ...(body === "" ? [] : [bodyBytes > keptBytes ? "--data-binary @body.json" : `--data-raw ${quote(body)}`]),
  ];
  return parts.join(" \\\n  ");
}

/** A fault rule that makes the next similar request fail like this one, or with 500 if this one succeeded. */
function faultLike({ method, path, endpoint, pageId, answer }: WholeRequest): Record<string, unknown> {
  const { account } = route.value;
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
