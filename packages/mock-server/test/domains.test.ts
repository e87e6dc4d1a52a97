import { expect, test } from "vitest";
import { createDomainNetwork, type AssignablePage, type Domain } from "../src/domains.ts";

const shoes: Domain = { name: "shoes.example", topics: ["running shoes"], keywords: ["sneaker", "marathon"] };
const gardens: Domain = { name: "gardens.example", topics: ["gardening"], keywords: ["plant", "seed", "lawn"] };

test("a page lands on the domain whose words it shares", () => {
  const network = createDomainNetwork([gardens, shoes]);

  const { domains, how } = network.assign(page({ title: "Red sneakers", content: "For your first marathon." }), noLoad);

  expect(domains.map(({ name }) => name)).toEqual(["shoes.example"]);
  expect(how).toBe("match");
});

function page(fields: Partial<AssignablePage>): AssignablePage {
  return { title: "", content: "", slug: "", cta: { type: "button", label: "", url: "https://a.example/" }, ...fields };
}

function noLoad(): number {
  return 0;
}
