// The pages of a check, as it sends them.

/** A page as the check sends it. */
export interface SentPage {
  readonly title: string;
  readonly content: string;
  readonly slug: string;
  readonly meta_description?: string;
  readonly cta: { readonly type: string; readonly label: string; readonly url: string };
}

/** Writes the pages of a check. Every string is unique, so a response that contains it shows the field. */
export function writePages(prefix: string, mark: string) {
  const write = (what: string, slug: string, description?: string) => ({
    content: `${what} by conformance check ${mark}.`,
    slug,
    ...(description !== undefined && { meta_description: `${description} by conformance check ${mark}` }),
    cta: {
      type: "button",
      label: `Go to ${mark}, ${what}`,
      url: `https://example.com/${what.replaceAll(/\W+/g, "-")}/${mark}`,
    },
  });
  const shortest = {
    title: `Shorter landing page ${mark}`,
    ...write("Made without a description", `${prefix}-short`),
  };
  return {
    // The content fits two topics, so that a service that assigns domains by content may choose several.
    full: {
      title: `Landing page check ${mark}`,
      ...write("Running shoes, and bread from a bakery, made", prefix, "Described"),
    },
    shortest,
    // Instead of the shortest page if the service requires a description.
    described: { ...shortest, meta_description: `Described in brief by conformance check ${mark}` },
    // The updates send a new title for each page, and the other fields of the full one.
    title: `Retitled landing page ${mark}`,
    otherTitle: `Retitled shorter page ${mark}`,
    rest: write("Rewritten", `${prefix}-rewritten`, "Description rewritten"),
  };
}
