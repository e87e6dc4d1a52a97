/** Reads the server-sent events of a response: lists of requests in the journal. */
export function readEvents({ body }: Response) {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    /** The next event; `undefined` if the stream has ended. */
    async next() {
      while (!text.includes("\n\n")) {
        const { value } = (await reader?.read()) ?? {};
        if (value === undefined) return undefined;
        text += value;
      }
      const end = text.indexOf("\n\n");
      const [, name = "", data = ""] = /^event: (\w+)\ndata: (.*)$/.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      return { name, data: JSON.parse(data) as { id: string }[] }; // why: the expression above says so
    },
    close: async () => reader?.cancel(),
  };
}
