import type { Post } from '../contract/posts.ts';
import type { Clock } from '../platform/clock.ts';
import { dateAt } from './date.ts';
import type { PostContent, PostStore } from './post-store.ts';
import { publishedAt } from './visibility.ts';

/** How often to check whether the clock is behind what it was, in ms. */
const checkMs = 60_000;
/** How many posts are read at once. */
const postsAtOnce = 100;

interface OwnDatesDeps {
  readonly posts: Pick<PostStore, 'list' | 'change'>;
  readonly now: Clock;
  readonly zone: () => string;
  /** Does what follows a change of a date. */
  readonly changed: (post: Post, before: Post) => Promise<void>;
  readonly background: (work: Promise<unknown>) => void;
}

/**
 * Looks after the dates that nobody gave. Such a date never makes a post scheduled. If it is in the future, the clock was
 * ahead when the post was made, and is right now. The post then gets the current time as its date.
 */
export function createOwnDates({ posts, now, zone, changed, background }: OwnDatesDeps) {
  /** The latest time that this process knows of. If it is later now than then, no such date is in the future. */
  let latest = now();
  let timer: NodeJS.Timeout | undefined;

  async function correct(): Promise<void> {
    const moment = now();
    let after: string | undefined;
    do {
      const filter = { status: 'published', publishedAfter: moment } as const;
      const page = await posts.list({ limit: postsAtOnce, after, filter });
      for (const before of page.items) {
        const { ownDate, properties } = before;
        if (ownDate === undefined || properties.published?.[0] !== ownDate) continue;
        const current = dateAt(moment, zone());
        const edit = (content: PostContent): PostContent =>
          content.properties.published?.[0] === ownDate
            ? { ...content, properties: { ...content.properties, published: [current] }, ownDate: current }
            : content;
        await changed(await posts.change(before.path, edit, { now: moment, isOwn: true }), before);
      }
      ({ after } = page);
    } while (after !== undefined);
    latest = moment;
  }

  function check(): void {
    if (now() < latest) background(correct());
    else latest = now();
  }

  return {
    /** Notes a post that was made or changed. */
    saw(post: Post): void {
      if (post.ownDate !== undefined) latest = Math.max(latest, publishedAt(post));
    },
    check,
    /** Corrects the dates of earlier processes, and from then on checks the clock. */
    start(): void {
      background(correct());
      timer = setInterval(check, checkMs).unref();
    },
    stop: (): void => clearInterval(timer),
  };
}
