/**
 * The protocol between the server and the mailbox (the program that Porchlight runs at Cloudflare). Both programs
 * import this file, so it uses only APIs that exist in both runtimes.
 */

/** The version of this protocol. Increase it for every change that the server and the mailbox must both support. */
export const mailboxVersion = 6;

/**
 * Cloudflare's compatibility date, sent with each upload of the mailbox. The runtime behaves as it did on that date.
 */
export const compatibilityDate = '2026-04-01';

/**
 * The path prefix of the server's calls to the mailbox. The mailbox never forwards requests for these paths to the
 * server.
 */
export const mailboxPath = '/.well-known/porchlight-mailbox';

/**
 * The path that the mailbox requests from the server to check whether the server responds, for example after a
 * visitor's request has failed. The check succeeds if the response has a valid proof, whatever its status.
 */
export const pingPath = `${mailboxPath}/ping`;
/**
 * The status of every response while the owner has turned the server off. A server that is on may use this status too.
 */
export const offStatus = 503;

/**
 * The header that the mailbox adds to each request to the server. Its value is a random string, which is different for
 * each request.
 */
export const nonceHeader = 'porchlight-nonce';
/**
 * The header with which the server proves that it sent a response: `<time in ms>.<HMAC of the nonce and the time>`. The
 * nonce is the value of `nonceHeader` in the request. After a change of keys, the header has two proofs, one for each
 * key, with a comma between them.
 */
export const proofHeader = 'porchlight-proof';
/** The header with the signature of each of the server's calls; see `signedText`. */
export const signatureHeader = 'porchlight-signature';

/**
 * The paths at which the fediverse looks for an account. While Bridgy Fed is one of the cross-posting targets, the server
 * redirects them there, with the request's query. There can be any query, so the mailbox keeps one copy for each path.
 */
export const bridgedPaths: readonly string[] = ['/.well-known/webfinger', '/.well-known/host-meta'];

/** The names of the mailbox's bindings, through which Cloudflare gives the program its storage and its keys. */
export const bindings = {
  /** The binding of the Durable Object namespace. */
  mailbox: 'MAILBOX',
  /** The secret HMAC keys for proofs and for calls, in base64url. */
  proofKey: 'PROOF_KEY',
  callKey: 'CALL_KEY',
  /** The public key for sealing requests (X25519, raw), in base64url. It isn't secret. */
  sealingKey: 'SEALING_KEY',
} as const;

/** The name of the exported Durable Object class, as in Cloudflare's setting `migrations.new_sqlite_classes`. */
export const mailboxClass = 'Mailbox';

/**
 * The calls that the server makes to the mailbox, keyed by the last part of their path. All calls are POST requests,
 * and their bodies are JSON unless stated otherwise. Except for `store`, `claim` and `wipe`, the mailbox accepts calls
 * from a server of any version. So an updated server can report to an older mailbox that the server is on again, remove
 * the copy of a deleted post, and fetch the requests that the mailbox kept. New versions may therefore only add fields
 * to such calls.
 */
export interface MailboxCalls {
  /** Returns the state of the mailbox. */
  state: { call: Record<string, never>; answer: MailboxState };
  /** Reports that the server is awake, and for which hosts it accepts mentions. */
  awake: { call: { hosts: readonly string[] }; answer: MailboxState };
  /**
   * Reports that the server is about to stop responding, because it is going to sleep or the owner has turned it off.
   */
  away: { call: { kind: 'asleep' | 'off' }; answer: MailboxState };
  /** Lists the copies by address, starting after the address `after`. */
  copies: {
    call: { after?: string; limit: number };
    answer: { copies: readonly StoredStamp[]; next: string | null };
  };
  /** Stores copies and replaces those with the same addresses. The body isn't JSON: see `joinCopies`. */
  store: { call: readonly Copy[]; answer: { stored: number } };
  /** Removes copies. If `gone` is true, the mailbox responds to later requests for their addresses with 410. */
  remove: { call: { addresses: readonly string[]; gone: boolean }; answer: { removed: number } };
  /** Returns the oldest kept requests (sealed items) with a number above `after`. */
  items: {
    call: { after: number; limit: number };
    answer: { items: readonly SealedItem[]; kept: number };
  };
  /** Deletes kept requests (items) that the server has fetched and saved. */
  done: { call: { numbers: readonly number[] }; answer: { kept: number } };
  /** Assigns the mailbox to the server that makes this call. */
  claim: { call: Record<string, never>; answer: MailboxState };
  /** Deletes everything in the mailbox. */
  wipe: { call: Record<string, never>; answer: MailboxState };
}
export type CallName = keyof MailboxCalls;

export interface MailboxState {
  readonly version: number;
  readonly state: 'awake' | 'asleep' | 'off';
  /** The number of kept requests (items) that the server has yet to fetch. */
  readonly kept: number;
  /**
   * The number of requests that the mailbox has refused to keep because a limit was reached, counted since the server
   * was last awake.
   */
  readonly refused: number;
  readonly copies: number;
  /** The size of everything stored, in bytes. */
  readonly bytes: number;
}

/**
 * The body of the response to a refused call. The statuses are 401 for `forged`; 409 for `replayed`, `other_server`
 * and `other_version`; 400 for `invalid`; 413 for `too_large`; 507 for `full`; and 503 for `over_limit`, when the free
 * plan's daily limits of Durable Objects are used up.
 */
export interface CallRefusal {
  readonly error:
    | 'forged'
    | 'replayed'
    | 'other_server'
    | 'other_version'
    | 'invalid'
    | 'too_large'
    | 'full'
    | 'over_limit';
  /** The number of the last accepted call. Present only for `replayed`. */
  readonly last?: number;
}

/** The address of a copy, and a hash that identifies the copy's version. */
export interface CopyStamp {
  /** The path with the query, as in the first line of an HTTP request. */
  readonly address: string;
  /** A hash that changes whenever any part of the copy changes. */
  readonly hash: string;
}

/** The mailbox's record of a copy that it stores. */
export interface StoredStamp extends CopyStamp {
  /** The size of the body, in bytes. */
  readonly bytes: number;
}

/** A public response of the server. The mailbox sends it while the server is away. */
export interface Copy extends CopyStamp {
  /** The HTTP status: 200, or 301 with a `location` header. */
  readonly status: number;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The offset in the body, in bytes, at which the mailbox inserts a note that says that the page is a copy; null if
   * there is no note.
   */
  readonly noteAt: number | null;
  readonly body: Uint8Array;
}

/** A request that the mailbox kept and sealed (encrypted). Only the server can read the content: see seal.ts. */
export interface SealedItem {
  /** The number of the item. Each new item gets a higher number, and no number is ever reused. */
  readonly number: number;
  /** The time at which the request arrived, in ISO 8601. */
  readonly arrived: string;
  /** The encrypted request, in base64url. */
  readonly sealed: string;
}

/** The content of a sealed item. */
export type KeptRequest = (
  | { readonly kind: 'webmention'; readonly source: string; readonly target: string }
  /** The form fields of a request to the WebSub hub. */
  | { readonly kind: 'websub'; readonly fields: Readonly<Record<string, string>> }
) & {
  /**
   * The network of the visitor (see `networkOf`), to which the server's limits apply. Absent if it is unknown, and in
   * items of mailboxes before version 5.
   */
  readonly visitor?: string;
};

/**
 * The parameters for sealing (encrypting) a text. A sealed text consists of the id of the sealing key (the first 8
 * bytes of its SHA-256), a single-use public X25519 key (32 bytes), and the AES-256-GCM ciphertext with its tag. The id
 * is also the additional authenticated data of AES-GCM. The AES key (32 bytes) and the nonce (12 bytes) come from
 * HKDF-SHA-256 of the shared secret. HKDF's salt is the single-use key followed by the sealing key, and its info is
 * `info`. The text is JSON, padded with spaces to a multiple of `step` bytes to hide its exact length.
 */
export const sealing = {
  info: 'porchlight mailbox',
  step: 256,
  idBytes: 8,
  keyBytes: 32,
  nonceBytes: 12,
} as const;

/** The maximum size of a copy's body, in bytes. A row of the mailbox's database can hold at most 2 MB. */
export const mostCopyBytes = 2_000_000;
/**
 * The maximum size of the bodies of all copies together, in bytes. The server chooses which copies to leave out. The
 * mailbox refuses copies above this limit.
 */
export const mostCopiesBytes = 500_000_000;
/** The maximum size of a call's body, in bytes. */
export const mostCallBytes = 4_000_000;

/** The maximum number of hosts in an `awake` call. The owner can add up to 100 hosts in the settings. */
export const mostHosts = 200;

/** Returns the text that a proof signs. `time` is in ms. */
export const provedText = (nonce: string, time: number) => `porchlight proof\n${nonce}\n${time}`;

/** The parts of a call that its signature covers. */
export interface SignedCall {
  readonly name: string;
  /** The id of the server that makes the call. A mailbox serves only one server. */
  readonly server: string;
  /**
   * A number that is higher than in every earlier call, so that no call can be replayed. The server doesn't need a
   * correct clock to choose the number: if the number is too low, the refusal `replayed` contains the last accepted
   * number.
   */
  readonly number: number;
  /** The SHA-256 of the body, in hex. */
  readonly sha256: string;
}

/**
 * Returns the text that the signature of a call covers. The signature header is
 * `<version>.<server>.<number>.<sha256>.<HMAC, base64url>`.
 */
export const signedText = ({ name, server, number, sha256 }: SignedCall, version = mailboxVersion) =>
  `porchlight call\n${version}\n${name}\n${server}\n${number}\n${sha256}`;

/**
 * Joins copies into the body of a `store` call: one line of JSON that describes the copies, followed by their bodies.
 */
export function joinCopies(copies: readonly Copy[]): Uint8Array {
  const about = copies.map(({ body, ...rest }) => ({ ...rest, bytes: body.length }));
  const head = new TextEncoder().encode(`${JSON.stringify(about)}\n`);
  const joined = new Uint8Array(copies.reduce((sum, { body }) => sum + body.length, head.length));
  joined.set(head);
  let at = head.length;
  for (const { body } of copies) {
    joined.set(body, at);
    at += body.length;
  }
  return joined;
}

/** The headers that scripts on other sites may send, to the server and to the mailbox. The last ones are those of MCP. */
export const allowedHeaders =
  'Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id';
