import { call, type WholeRequest } from "./api.ts";
import { attempt, CopyButton, readable, tellMoment, useRead } from "./parts.tsx";
import { goTo, linkTo, noteChange, place, requests } from "./state.ts";

/** A request and its answer, in full. */
export function RequestDetail({ id }: { readonly id: string }) {
  const { data, problem } = useRead<WholeRequest>(`requests/${encodeURIComponent(id)}`);
  const known = requests.value.find((request) => request.id === id);
  return (
    <>
      <button type="button" class="back" onClick={() => goTo({ id: "" })}>
        Back to the list
      </button>
      {problem !== "" && <p class="problem">{problem}</p>}
      {data && <Whole request={data} attempts={known?.attempt} />}
    </>
  );
}

function Whole({ request, attempts }: { readonly request: WholeRequest; readonly attempts: number | undefined }) {
  const { method, path, query, status, endpoint, account, startedAtMs, fault, pageId, answer } = request;
  return (
    <>
      <h2 class="line">
        <span class="method">{method}</span> {path}
        {query !== "" && `?${query}`}
      </h2>
      <dl class="facts">
        <Fact
          name="Answer"
          value={
            answer.wire === undefined
              ? String(status ?? "none: the caller went away")
              : `${answer.wire} (the connection broke)`
          }
        />
        <Fact name="Took" value={`${answer.durationMs.toFixed(0)} ms`} />
        <Fact name="Came" value={tellMoment(startedAtMs)} />
        <Fact name="Account" value={account ?? "none: the key opens no account"} />
        <Fact name="Endpoint" value={endpoint ?? "none"} />
        {attempts !== undefined && <Fact name="Attempt" value={`${attempts} with this idempotency key`} />}
        {fault !== undefined && <Fact name="Fault" value={`${fault} struck`} />}
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
        <CopyButton label="Copy as a fault" text={() => JSON.stringify(faultLike(request))} />
        <button type="button" onClick={() => attempt(() => planFault(request))}>
          Fail the next like it
        </button>
      </div>
      <Side title="Request" headers={request.headers} body={request.body} />
      <Side title="Answer" headers={answer.headers} body={answer.body} />
    </>
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
}: {
  readonly title: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}) {
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
          {readable(body)}
        </pre>
      )}
    </section>
  );
}

const left = /^(?:host|connection|content-length|transfer-encoding|authorization|accept-encoding|user-agent|sec-.*)$/i;

/** The request as a line for a shell. */
function writeCurl({ method, path, query, headers, body }: WholeRequest): string {
  const { account } = place.value;
  const key = account.startsWith("test_")
    ? quote(`Authorization: Bearer ${account}`)
    : '"Authorization: Bearer $LANDING_PAGES_API_KEY"';
  const others = Object.entries(headers).filter(([name, value]) => !left.test(name) && value !== "[redacted]");
  const parts = [
    `curl -i -X ${quote(method)} ${quote(`${location.origin}${path}${query === "" ? "" : `?${query}`}`)}`,
    `-H ${key}`,
    ...others.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === "" ? [] : [`--data-binary ${quote(body)}`]),
  ];
  return parts.join(" \\\n  ");
}

function quote(text: string): string {
  return /^[\w/.:-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A fault that answers the next request of this kind as this one was answered, or with 500 where it went well. */
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
  return `The next ${request.endpoint ?? request.method} will fail.`;
}
