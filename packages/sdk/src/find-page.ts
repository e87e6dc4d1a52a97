import type { PartialPage } from "@landing-page-service/contract";
import { BadRequestError } from "./report/errors.ts";
import { InvalidInputError } from "./report/errors.ts";
import { type FetchPage, paginate } from "./many/paginate.ts";
import { refuseUnknown, type CallOptions, callOptions } from "./options.ts";

/** Walks the list until the page with a slug or an id comes; `undefined` when it does not. */
export async function findPage<Item extends PartialPage>(
  fetchPage: FetchPage<Item>,
  wanted: { readonly slug?: string; readonly id?: string },
  options: CallOptions,
): Promise<Item | undefined> {
  const { slug, id } = Object(wanted) as typeof wanted; // why: plain JavaScript may pass anything
  if (typeof wanted === "object") refuseUnknown({ slug: true, id: true }, wanted);
  refuseUnknown(callOptions, options);
  const { signal } = options;
  const given = [slug, id].filter((each) => each !== undefined);
  if (given.length === 0 || !given.every((each) => typeof each === "string" && each !== "")) {
    throw new InvalidInputError("Find page", [{ pointer: "#", detail: "expected { slug } or { id }" }]);
  }
  const walk = async (filters: { slug?: string }) => {
    for await (const page of paginate(fetchPage, { filters, signal })) {
      if ((slug ?? page.slug) === page.slug && (id ?? page.id) === page.id) return page;
    }
    return undefined;
  };
  if (slug === undefined) return walk({});
  try {
    return await walk({ slug });
  } catch (error) {
    // A service that knows no filters may refuse them.
    if (BadRequestError.is(error)) return walk({});
    throw error;
  }
}
