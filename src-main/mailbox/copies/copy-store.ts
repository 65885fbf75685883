import type { Copy, StoredStamp } from '../../platform/mailbox-protocol.ts';

interface CopyCallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal;
}

/** The interface to the copies in the mailbox at Cloudflare. Its methods reject with PorchlightError `mailbox_…`. */
export interface CopyStore {
  /**
   * Lists copies in the order of their addresses. `after`: if given, lists only the addresses that come after this one.
   */
  copies(
    after: string | undefined,
    limit: number,
    options?: CopyCallOptions,
  ): Promise<{ copies: readonly StoredStamp[]; next: string | null }>;
  /** Stores copies. Each new copy replaces an older copy of the same address. */
  store(copies: readonly Copy[], options?: CopyCallOptions): Promise<void>;
  /** Removes copies. `gone`: whether the mailbox then responds with 410 at their addresses. */
  remove(addresses: readonly string[], gone: boolean, options?: CopyCallOptions): Promise<void>;
}

/** This server's response to an anonymous visitor. Header names are in lower case. */
export interface OwnAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Requests an address from this server as an anonymous visitor would: without a token and without cookies. Rejects if
 * the server is off, and when `signal` aborts. If the body is too large for a copy, the response has the status 413. If
 * the response takes too long, it has the status 504.
 */
export type AskSelf = (address: string, signal?: AbortSignal) => Promise<OwnAnswer>;
