/** For vi.waitUntil and vi.waitFor: as long as a busy computer takes. Their own second is too short for one. */
export const patience = { timeout: 25_000 };
