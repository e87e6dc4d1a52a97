// The pages that a check sends.

/** A page as the check sends it. */
export interface SentPage {
  title: string;
  content: string;
  slug: string;
  meta_description: string;
  cta: { type: string; label: string; url: string };
}

/** The full page, what its two updates changed, and the page without a description. */
export interface SentPages {
  readonly full: SentPage;
  readonly shortest: Omit<SentPage, "meta_description">;
  readonly rest: Omit<SentPage, "title">;
  readonly title: string;
  readonly otherTitle: string;
}

/** Every text is one that nobody else has: wherever it stands in an answer, it is there because it was sent. */
export function writePages(prefix: string): SentPages {
  const mark = prefix.slice(prefix.lastIndexOf("-") + 1);
  return {
    full: {
      title: `Landing page check ${mark}`,
      // Of two trades: a service that assigns domains by what pages say may give this one several.
      content: `Made by conformance check ${mark}, which deletes it when it ends. Running shoes, and bread from a bakery.`,
      slug: prefix,
      meta_description: `Described by conformance check ${mark}`,
      cta: { type: "button", label: `Go to ${mark}`, url: `https://example.com/landing-page-check/${mark}` },
    },
    rest: {
      content: `Rewritten by conformance check ${mark}.`,
      slug: `${prefix}-rewritten`,
      meta_description: `Description rewritten by ${mark}`,
      cta: { type: "button", label: `Go on to ${mark}`, url: `https://example.com/rewritten/${mark}` },
    },
    shortest: {
      title: `Shorter landing page ${mark}`,
      content: `Made without a description by conformance check ${mark}.`,
      slug: `${prefix}-short`,
      cta: { type: "button", label: `Go shortly to ${mark}`, url: `https://example.com/shorter/${mark}` },
    },
    title: `Retitled landing page ${mark}`,
    otherTitle: `Retitled shorter page ${mark}`,
  };
}
