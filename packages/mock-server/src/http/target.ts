/** A request target taken apart, nothing decoded. */
export interface Target {
  /** Path as sent. */
  path: string;
  /** Query as sent, without the question mark. */
  query: string;
  /** Host and port of an absolute target such as `http://127.0.0.1:4010/api/content`. */
  authority: string | undefined;
}

/** Takes a request target apart. Source: RFC 9112, section 3.2. */
export function readTarget(target: string): Target {
  if (target.startsWith("/")) return splitQuery(target, undefined);
  const [, authority, rest = "/"] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(target) ?? [];
  if (authority === undefined) return splitQuery(target, undefined);
  return splitQuery(rest.startsWith("/") ? rest : `/${rest}`, authority);
}

function splitQuery(text: string, authority: string | undefined): Target {
  const mark = text.indexOf("?");
  return mark === -1
    ? { path: text, query: "", authority }
    : { path: text.slice(0, mark), query: text.slice(mark + 1), authority };
}
