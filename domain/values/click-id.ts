/** The query parameter that carries the id of a click to its destination (contract/tracking-links.md#opening). */
export const clickIdParameter = "tl_click_id";
