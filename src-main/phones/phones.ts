import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { closed, Id, orNull } from '../contract/shapes.ts';
import type { Clock } from '../platform/clock.ts';
import { newSecretText, sameText, secretHash } from '../platform/secrets.ts';
import { readRow, recordTable } from '../storage/records/record-table.ts';
import type { Records } from '../storage/records/records.ts';
import {
  type Assertion,
  type Attestation,
  Bytes,
  checkSignature,
  isAnswerTo,
  passkeyIn,
  mayFollow,
  pairingCode,
  readAuthenticator,
} from './assertion.ts';

/** How long the link of a pairing works, in ms. */
const pairingMs = 300_000;
/** How long a question for a passkey may wait for its answer, in ms. */
const questionMs = 120_000;
const mostPhones = 20;
/** How many browsers of a phone may show what waits: an app on the Home Screen has cookies of its own. */
const mostBrowsers = 4;

/**
 * A paired phone. `host`: the public host that its passkey belongs to. `cookies`: the hashes of the cookies that show
 * what waits. `synced`: 1 if the passkey may be on other devices. Times are in ms since the epoch.
 */
export const phoneTable = recordTable({
  name: 'phones',
  row: closed({
    id: Id,
    name: Type.String({ minLength: 1, maxLength: 60 }),
    host: Type.String({ maxLength: 253 }),
    credential: Bytes(1400),
    public_key: Bytes(1400),
    counter: Type.Integer({ minimum: 0, maximum: 0xffffffff }),
    synced: Type.Union([Type.Literal(0), Type.Literal(1)]),
    cookies: Type.String({ pattern: `^([\\w-]{43}( [\\w-]{43}){0,${mostBrowsers - 1}})?$` }),
    paired_at: Type.Integer({ minimum: 0, maximum: 8.64e15 }),
    used_at: orNull(Type.Integer({ minimum: 0, maximum: 8.64e15 })),
  }),
  isSound: ({ public_key }) => passkeyIn(public_key) !== undefined,
  create: `CREATE TABLE IF NOT EXISTS phones (
      id TEXT PRIMARY KEY, name TEXT NOT NULL, host TEXT NOT NULL, credential TEXT NOT NULL UNIQUE, public_key TEXT NOT NULL,
      counter INTEGER NOT NULL, synced INTEGER NOT NULL, cookies TEXT NOT NULL, paired_at INTEGER NOT NULL, used_at INTEGER
    ) STRICT`,
  format: 1,
  // A restored phone has to use its passkey before it shows anything. Somebody else may have written its name.
  cleaned: (row) => ({ ...row, name: nameIn(row.name), cookies: '' }),
  // A phone that only the copy has may have been removed since.
  merge: (_older, damaged) => damaged,
  // A passkey of no host is one that has to be paired again.
  distrusted: (row) => ({ ...row, host: '', cookies: '' }),
});
export type PhoneRow = Static<typeof phoneTable.row>;

interface Pairing {
  readonly id: string;
  readonly secret: string;
  readonly expiresAt: number;
  arrived?: { readonly row: PhoneRow; readonly code: string };
  /** Resolves when the phone that the owner confirmed is on disk. */
  confirmed?: Promise<unknown>;
}

interface PhonesDeps {
  readonly records: Pick<Records, 'rows' | 'write'>;
  readonly clock: Clock;
  readonly base: () => string;
  readonly unsaved: {
    add(source: { words: () => string[]; retry: () => Promise<void> }): void;
    refused(error: unknown): void;
  };
}

const unknownPhone = () =>
  new PorchlightError('forbidden', 'This phone isn’t paired, or no longer. Pair it at your computer.', 403);

/** The paired phones, and the one that is being paired. A removal counts at once, even if it can't be saved now. */
export class Phones {
  readonly #deps: PhonesDeps;
  #pairing: Pairing | undefined;
  /** The names of the removed phones whose removal isn't on disk yet, by id. */
  readonly #removed = new Map<string, string>();
  readonly #questionKey = randomBytes(32);
  /** The questions that were answered, so that no answer counts twice. */
  readonly #answered = new Map<string, number>();

  constructor(deps: PhonesDeps) {
    this.#deps = deps;
    deps.unsaved.add({
      words: () => [...this.#removed.values()].map((name) => `the phone ${name} is removed`),
      retry: () => (this.#removed.size > 0 ? this.#saveRemovals() : Promise.resolve()),
    });
  }

  /** Returns the paired phones, oldest first, and last the one that waits to be confirmed, with its code. */
  list(): { row: PhoneRow; code?: string; usable: boolean }[] {
    const rows = this.#deps.records.rows(
      (row) => readRow(phoneTable, row),
      'SELECT * FROM phones ORDER BY paired_at, id',
    );
    const paired = rows.filter(({ id }) => !this.#removed.has(id));
    const waiting = this.#open()?.arrived;
    return [
      ...paired.map((row) => ({ row, usable: row.host === this.#host() })),
      ...(waiting ? [{ ...waiting, usable: true }] : []),
    ];
  }

  /** Begins a pairing, which ends the one before. The secret must reach nobody but the phone. */
  pair(): { id: string; secret: string; expiresAt: number } {
    if (this.list().length >= mostPhones)
      throw new PorchlightError('not_allowed', `At most ${mostPhones} phones can be paired. Remove one.`);
    const expiresAt = this.#deps.clock() + pairingMs;
    this.#pairing = { id: randomUUID(), secret: newSecretText(), expiresAt };
    return this.#pairing;
  }

  /**
   * Takes the passkey of the phone that used the link, which then works no more. Returns the cookie of the phone, which
   * shows nothing until the owner has confirmed.
   * @throws PorchlightError `gone` (410) for another link, `forbidden` (403)
   */
  arrive(said: Static<typeof Attestation>, name: string): string {
    const pairing = this.#open();
    // To those who don't know the link, it looks the same whether the owner is pairing a phone.
    if (!pairing || pairing.arrived || !isAnswerTo(pairing.secret, said))
      throw new PorchlightError(
        'gone',
        'This code was used or is too old. Get a new one at your computer.',
        410,
      );
    const origin = this.#deps.base();
    const expected = { type: 'webauthn.create', challenge: pairing.secret, origin } as const;
    const { counter, synced } = readAuthenticator(said, expected);
    if (!passkeyIn(said.publicKey) || this.list().some(({ row }) => row.credential === said.credential))
      throw new PorchlightError('forbidden', 'Porchlight can’t use this passkey.', 403);
    const cookie = newSecretText();
    const row: PhoneRow = {
      id: pairing.id,
      name: nameIn(name),
      host: this.#host(),
      credential: said.credential,
      public_key: said.publicKey,
      counter,
      synced: synced ? 1 : 0,
      cookies: secretHash(cookie),
      paired_at: this.#deps.clock(),
      used_at: null,
    };
    pairing.arrived = { row, code: pairingCode(pairing.secret, said.publicKey) };
    return cookie;
  }

  /** Pairs the phone that waits. Resolves when it is on disk. */
  async confirm(id: string): Promise<PhoneRow> {
    const pairing = this.#open();
    const row = pairing?.arrived?.row;
    if (!pairing || row?.id !== id || row.host !== this.#host())
      throw new PorchlightError('not_found', 'This phone no longer waits. Show a new code.', 404);
    try {
      await (pairing.confirmed ??= this.#insert(row));
    } catch (error) {
      delete pairing.confirmed;
      throw error;
    }
    // The owner may have begun another pairing meanwhile.
    if (this.#pairing === pairing) this.#pairing = undefined;
    return row;
  }

  /** Removes a phone. Returns its name, whether it was paired, and whether the removal is on disk. */
  async remove(id: string): Promise<{ name: string; wasPaired: boolean; saved: boolean }> {
    // A removal that comes while the phone is being saved must not be overtaken by that.
    if (this.#pairing?.id === id) await this.#pairing.confirmed?.catch(() => undefined);
    const found = this.list().find(({ row }) => row.id === id);
    if (this.#pairing?.id === id) this.#pairing = undefined;
    if (!found) throw new PorchlightError('not_found', 'This phone isn’t paired.', 404);
    const { name } = found.row;
    if (found.code !== undefined) return { name, wasPaired: false, saved: true };
    this.#removed.set(id, name);
    await this.#saveRemovals();
    return { name, wasPaired: true, saved: !this.#removed.has(id) };
  }

  /** Returns the phone that has a cookie; undefined if it has none, or was paired for another host. */
  withCookie(cookie: string | undefined): PhoneRow | undefined {
    if (cookie === undefined || !/^[\w-]{43}$/.test(cookie)) return undefined;
    const hash = secretHash(cookie);
    return this.#usable().find(({ cookies }) => cookies.split(' ').includes(hash));
  }

  /**
   * Checks that a paired phone signed a challenge, and notes its use. Resolves when that is on disk.
   * @throws PorchlightError `forbidden` (403)
   */
  async check(said: Assertion, challenge: string): Promise<PhoneRow> {
    const phone = this.#usable().find(({ credential }) => credential === said.credential);
    const key = phone && passkeyIn(phone.public_key);
    if (!phone || !key) throw unknownPhone();
    const { counter } = readAuthenticator(said, {
      type: 'webauthn.get',
      challenge,
      origin: this.#deps.base(),
    });
    checkSignature(said, key);
    // The counter is compared where no other change can run. One that doesn't grow is that of a copied key.
    const used = await this.#deps.records.write(({ rows, run }) => {
      const [before] = rows('SELECT counter FROM phones WHERE id = ?', phone.id);
      if (before === undefined || !mayFollow(counter, Number(before['counter']))) return false;
      run('UPDATE phones SET counter = ?, used_at = ? WHERE id = ?', counter, this.#deps.clock(), phone.id);
      return true;
    });
    if (!used || this.#removed.has(phone.id)) throw unknownPhone();
    return phone;
  }

  /** Returns a question for a passkey. Nothing of it is kept, because anybody may ask for one. */
  question(): string {
    const about = Buffer.concat([Buffer.from(String(this.#deps.clock()).padStart(16, '0')), randomBytes(16)]);
    return Buffer.concat([about, this.#macOf(about)]).toString('base64url');
  }

  /**
   * Gives a browser of the phone that answered a question a cookie. The oldest of several loses its own.
   * @throws PorchlightError `forbidden` (403)
   */
  async open(said: Assertion, question: string): Promise<string> {
    const now = this.#deps.clock();
    const bytes = Buffer.from(question, 'base64url');
    const about = bytes.subarray(0, 32);
    const isOurs = sameText(bytes.subarray(32).toString('hex'), this.#macOf(about).toString('hex'));
    const age = now - Number(about.subarray(0, 16).toString());
    for (const [one, at] of this.#answered) if (now - at > questionMs) this.#answered.delete(one);
    if (!isOurs || !(age >= 0 && age <= questionMs) || this.#answered.has(question))
      throw new PorchlightError('forbidden', 'This took too long. Try again.', 403);
    const phone = await this.check(said, question);
    if (this.#answered.has(question)) throw unknownPhone();
    this.#answered.set(question, now);
    const cookie = newSecretText();
    await this.#deps.records.write(({ rows, run }) => {
      const [row] = rows('SELECT cookies FROM phones WHERE id = ?', phone.id);
      const before = String(row?.['cookies'] ?? '')
        .split(' ')
        .filter(Boolean);
      const cookies = [secretHash(cookie), ...before].slice(0, mostBrowsers).join(' ');
      run('UPDATE phones SET cookies = ? WHERE id = ?', cookies, phone.id);
    });
    return cookie;
  }

  #insert({
    id,
    name,
    host,
    credential,
    public_key,
    counter,
    synced,
    cookies,
    paired_at,
  }: PhoneRow): Promise<unknown> {
    return this.#deps.records.write(({ run }) =>
      run(
        'INSERT INTO phones (id, name, host, credential, public_key, counter, synced, cookies, paired_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
        id,
        name,
        host,
        credential,
        public_key,
        counter,
        synced,
        cookies,
        paired_at,
      ),
    );
  }

  #host(): string {
    return new URL(this.#deps.base()).hostname;
  }

  #open(): Pairing | undefined {
    if (this.#pairing && this.#deps.clock() >= this.#pairing.expiresAt) this.#pairing = undefined;
    return this.#pairing;
  }

  #usable(): PhoneRow[] {
    return this.list().flatMap(({ row, code, usable }) => (usable && code === undefined ? [row] : []));
  }

  #macOf(about: Buffer): Buffer {
    return createHmac('sha256', this.#questionKey).update(about).digest();
  }

  async #saveRemovals(): Promise<void> {
    const ids = [...this.#removed.keys()];
    try {
      await this.#deps.records.write(
        ({ run }) => {
          for (const id of ids) run('DELETE FROM phones WHERE id = ?', id);
        },
        { ends: true },
      );
      for (const id of ids) this.#removed.delete(id);
    } catch (error) {
      this.#deps.unsaved.refused(error);
    }
  }
}

/**
 * Returns what a phone calls itself, on one line and without quotation marks, which end the name in prompts.
 * `computer` is the name of this computer in the history.
 */
function nameIn(text: string): string {
  const name = text
    .replace(/[\p{C}\s"“”„]+/gu, ' ')
    .trim()
    .slice(0, 60)
    // The cut may have halved a character.
    .replace(/\p{Cs}$/u, '');
  return name === '' || name.toLowerCase() === 'computer' ? 'Phone' : name;
}
