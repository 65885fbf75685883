import type { Properties } from '../contract/posts.ts';
import type { Versions } from '../storage/caches.ts';
import { sizeUpTo } from '../storage/json-value.ts';
import type { Transaction } from '../storage/records/group-commit.ts';
import { searchable, storable } from '../storage/search-text.ts';
import { postText } from './content-text.ts';
import { postKindOf } from './kind.ts';
import { categoriesOf } from './links.ts';
import type { StoredPost } from './post-document.ts';
import { sortable } from './post-lists.ts';
import { mediaIn } from './post-media.ts';
import { postPath, type PostPlace } from './post-path.ts';
import { homeAddress } from './post-reads.ts';
import type { ListKind } from './post-store.ts';
import type { PostRow } from './post-table.ts';
import { begunPost } from './rendering/begun-post.ts';
import { altOf } from './values.ts';
import { isBehind, publishedOf } from './visibility.ts';

/** The size of a post, in characters, up to which its words are added within each change. */
const longestAtOnce = 100_000;

export interface FilingRules {
  readonly versions: Pick<Versions, 'changed'>;
  /** Called with the addresses (see addressOfPage) at which there may be another page now. */
  readonly addressesChanged: (addresses: readonly string[], transaction: Pick<Transaction, 'run'>) => void;
  /** Adds the words of a long post later, and not within each of its changes. If absent, they are added at once. */
  readonly wordsLater?: ((place: PostPlace) => void) | undefined;
}

/** Derives from the rows of posts, in a transaction, what lists, searches and pages need. */
export class PostFiling {
  readonly #in: Pick<Transaction, 'rows' | 'run'>;
  readonly #rules: FilingRules;

  constructor(transaction: Pick<Transaction, 'rows' | 'run'>, rules: FilingRules) {
    this.#in = transaction;
    this.#rules = rules;
  }

  /** Returns the number of the row at a location, and the path to which it leads; undefined if there is no row. */
  rowAt({ month, slug }: PostPlace): { readonly seq: number; readonly movedTo: string | null } | undefined {
    const [row] = this.#in.rows('SELECT seq, moved_to FROM posts WHERE month = ? AND slug = ?', month, slug);
    return row && { seq: Number(row['seq']), movedTo: row['moved_to'] as string | null };
  }

  /** Returns the addresses of a post on the owner's own site. */
  homesOf(seq: number): string[] {
    const found = this.#in.rows('SELECT address FROM post_homes WHERE post = ?', seq);
    return found.map(({ address }) => String(address));
  }

  /** Runs a change of a row. Afterwards reports the addresses that it has or had. */
  changing(place: PostPlace, work: (seq: number | undefined) => void): void {
    this.#rules.versions.changed('posts');
    const before = this.rowAt(place);
    const homes = before ? this.homesOf(before.seq) : [];
    work(before?.seq);
    const after = this.rowAt(place);
    const moved = (before?.movedTo ?? null) === (after?.movedTo ?? null) ? [] : [postPath(place)];
    this.changedAddresses([...new Set([...moved, ...homes, ...(after ? this.homesOf(after.seq) : [])])]);
  }

  /** Takes a post out of everything that is derived from it. */
  unfile(seq: number): void {
    const { run } = this.#in;
    run(
      `UPDATE list_counts SET kept = kept - (SELECT deleted = 0 FROM posts WHERE seq = ?1),
         listed = listed - (SELECT listed FROM posts WHERE seq = ?1)
       WHERE (list, name) IN (SELECT 'category', name FROM post_categories WHERE post = ?1
         UNION ALL SELECT 'kind', kind FROM posts WHERE seq = ?1 AND position IS NOT NULL
         UNION ALL SELECT 'month', month FROM posts WHERE seq = ?1 AND position IS NOT NULL)`,
      seq,
    );
    for (const table of ['post_categories', 'post_files', 'post_homes', 'post_written'])
      run(`DELETE FROM ${table} WHERE post = ?`, seq);
    run('DELETE FROM post_words WHERE rowid = ?', seq);
  }

  /** Derives everything else from the declared columns of a row, which isn't filed yet. */
  file(
    seq: number,
    { place: { month, slug }, post, isDoubtful }: Pick<PostRow, 'place' | 'post' | 'isDoubtful'>,
  ): void {
    const { run } = this.#in;
    this.#addHomes(seq, post?.home);
    if (post === null || isDoubtful) {
      run(
        `UPDATE posts SET filed = 1, home = ?, position = NULL, at = NULL, kind = NULL, status = NULL, visibility = NULL,
           deleted = NULL, listed = NULL, app = NULL, homeless = NULL, behind = NULL, begun = NULL WHERE seq = ?`,
        post?.home?.url ?? null,
        seq,
      );
      return;
    }
    const { properties, status, visibility, createdAt, deletedAt, createdBy, home } = post;
    const { at } = publishedOf(properties, Date.parse(createdAt));
    const position = `${sortable(at)} ${month} ${slug}`;
    const deleted = deletedAt === null ? 0 : 1;
    const listed = deleted === 0 && status === 'published' && visibility === 'public' ? 1 : 0;
    const kind = postKindOf(post);
    const begun = begunPost(post, home?.url ?? postPath({ month, slug }));
    const shown = [position, at, kind, status, visibility, deleted, listed, createdBy ?? null];
    const beginning = begun ? JSON.stringify(begun) : null;
    const places = [isHomeless(post) ? 1 : 0, isBehind(post) ? 1 : 0, home?.url ?? null, beginning];
    run(
      `UPDATE posts SET filed = 1, position = ?, at = ?, kind = ?, status = ?, visibility = ?, deleted = ?, listed = ?,
         app = ?, homeless = ?, behind = ?, home = ?, begun = ? WHERE seq = ?`,
      ...shown,
      ...places,
      seq,
    );
    const counted = `INSERT INTO list_counts VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET kept = kept + excluded.kept, listed = listed + excluded.listed`;
    const count = (list: ListKind, name: string) => run(counted, list, name, 1 - deleted, listed);
    count('kind', kind);
    count('month', month);
    for (const name of new Set(categoriesOf(post).map(storable))) {
      run('INSERT OR REPLACE INTO post_categories VALUES (?, ?, ?)', name, position, seq);
      count('category', name);
    }
    for (const path of mediaIn(properties))
      run('INSERT OR REPLACE INTO post_files VALUES (?, ?, ?)', path, position, seq);
    for (const written of Object.keys(home?.written ?? {}))
      run('INSERT OR REPLACE INTO post_written VALUES (?, ?)', written, seq);
    const isLong = sizeUpTo(properties, longestAtOnce) >= longestAtOnce;
    if (isLong && this.#rules.wordsLater) this.#rules.wordsLater({ month, slug });
    else this.addWords(seq, post);
  }

  #addHomes(seq: number, home: StoredPost['home']): void {
    for (const url of new Set(home ? [home.url, ...home.former] : []))
      this.#in.run('INSERT OR REPLACE INTO post_homes VALUES (?, ?, ?)', url, homeAddress(url), seq);
  }

  addWords(seq: number, post: StoredPost): void {
    this.#in.run('INSERT OR REPLACE INTO post_words (rowid, words) VALUES (?, ?)', seq, wordsOf(post));
  }

  /** Reports the addresses at which there may be another page now. */
  changedAddresses(addresses: readonly string[]): void {
    if (addresses.length > 0) this.#rules.addressesChanged(addresses, { run: this.#in.run });
  }

  /** Reports that posts have changed. */
  changed(): void {
    this.#rules.versions.changed('posts');
  }
}

const isHomeless = ({ status, visibility, deletedAt, home }: StoredPost) =>
  status === 'published' && visibility !== 'private' && deletedAt === null && home === undefined;

/** The maximum length of a post's HTML, and of its text, that can be searched, in characters. Both take 0.1 s to index. */
const mostSearched = 500_000;

/** Returns the searchable text of a post: its name, summary, text, alt texts and categories. */
function wordsOf(post: StoredPost): string {
  const { name, summary, ...others } = post.properties;
  const alts = Object.values(others).flatMap((values) => values.map(altOf));
  const words = [name, summary].flatMap(strings);
  const text = postText(post.properties, mostSearched);
  return searchable([...words, ...alts, ...categoriesOf(post), text].join('\n').slice(0, mostSearched));
}

const strings = (values: Properties[string] = []) => values.filter((value) => typeof value === 'string');
