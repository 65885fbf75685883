/** What an assistant did with each tool, in words: once, and several times. */
const deeds: Readonly<Record<string, readonly [one: string, many: (count: number) => string]>> = {
  search_posts: ['searched your posts', (count) => `searched your posts ${count} times`],
  read_post: ['read 1 post', (count) => `read ${count} posts`],
  write_draft: ['wrote 1 draft', (count) => `wrote ${count} drafts`],
  edit_draft: ['changed 1 draft', (count) => `changed drafts ${count} times`],
  list_mentions: ['listed mentions', (count) => `listed mentions ${count} times`],
  read_mention: ['read 1 mention', (count) => `read ${count} mentions`],
  post_counts: ['counted your posts', (count) => `counted your posts ${count} times`],
  upload_photo: ['uploaded 1 photo', (count) => `uploaded ${count} photos`],
};

/** Counts what assistants do, since the server started, so that the owner sees it under Apps. */
export class AssistantCalls {
  readonly #ofGrants = new Map<string, Map<string, number>>();

  /** Counts a call that succeeded. */
  note(grantId: string, tool: string): void {
    const counts = this.#ofGrants.get(grantId) ?? new Map<string, number>();
    this.#ofGrants.set(grantId, counts.set(tool, (counts.get(tool) ?? 0) + 1));
  }

  /** Returns what an app did, as part of a sentence; undefined if it did nothing. */
  wordsOf(grantId: string): string | undefined {
    const counts = this.#ofGrants.get(grantId);
    if (counts === undefined) return undefined;
    const words = Object.entries(deeds).flatMap(([tool, [one, many]]) => {
      const count = counts.get(tool) ?? 0;
      return count === 0 ? [] : [count === 1 ? one : many(count)];
    });
    return words.join(', ');
  }
}
