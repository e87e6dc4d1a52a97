/**
 * What a reader sees of a text that may hold HTML: no tags, comments, styles and scripts, and characters for entities.
 * Only tags that HTML has are taken off, so that other text in angle brackets stays. Linear in the length of any text.
 */
export function stripMarkup(text: string): string {
  if (!/[<&]/.test(text)) return text;
  const told = text
    .split("<!--")
    .map((part, index) => (index === 0 || !part.includes("-->") ? part : part.slice(part.indexOf("-->") + 3)))
    .join(" ")
    .split(/<(?=\/?(?:script|style)\b)/i)
    .filter((part) => !/^(?:script|style)\b/i.test(part))
    .join("<");
  return told.replace(tag, " ").replace(accented, "$1").replaceAll("&szlig;", "ß").replace(entity, " ");
}

const tag =
  /<\/?(?:a|abbr|address|article|aside|audio|b|blockquote|body|br|button|canvas|caption|center|cite|code|col|dd|details|div|dl|dt|em|embed|fieldset|figcaption|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|label|legend|li|link|main|mark|meta|nav|noscript|object|ol|option|p|picture|pre|q|s|script|section|select|small|source|span|strong|style|sub|summary|sup|svg|table|tbody|td|textarea|tfoot|th|thead|time|title|tr|u|ul|video|wbr)(?:[\s/][^<>]*)?>/gi;

/** Accents decide nothing, so a letter with one may lose it. */
const accented = /&([a-z])(?:acute|caron|cedil|circ|grave|ring|slash|tilde|uml);/gi;
const entity = /&(?:[a-z]{2,10}|#\d{1,7}|#x[\da-f]{1,6});/gi;
