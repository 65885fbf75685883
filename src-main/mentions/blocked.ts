import { join } from 'node:path';
import { Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { closed } from '../contract/shapes.ts';
import { openDocument, updateForGood } from '../storage/document.ts';
import type { DurableFileOptions } from '../storage/durable-file.ts';
import { previousOf } from '../storage/replace-file.ts';
import { readDocument, writeDocument } from '../storage/unopened.ts';
import { domainName, isCovered } from './domain-name.ts';

const BlockedDocument = closed({ domains: Type.Array(Type.String()) });

/** Sites whose mentions the owner refuses. A domain includes all its subdomains. */
export interface BlockedDomains {
  /** Returns the domains in alphabetical order. */
  list(): string[];
  /**
   * Blocks a domain; returns the list of blocked domains.
   * @throws PorchlightError `invalid_request` if it is not a domain.
   */
  add(domain: string): Promise<string[]>;
  /**
   * Unblocks a domain; returns the list of blocked domains.
   * @throws PorchlightError `invalid_request` if it is not a domain.
   */
  remove(domain: string): Promise<string[]>;
  /** Returns whether a host, which may include a port, is blocked; false for an invalid host. */
  matches(host: string): boolean;
  /** Returns whether the block of a domain is on disk. */
  isSaved(domain: string): boolean;
}

export const blockedFormat = { schema: BlockedDocument, format: 1, initial: { domains: [] } };
const fileIn = (dir: string) => join(dir, 'blocked.json');

/** Reads the blocked domains from a webmentions folder, even while a server uses the folder. */
export async function blockedIn(dir: string): Promise<string[]> {
  const file = fileIn(dir);
  const document =
    (await readDocument(file, blockedFormat)) ?? (await readDocument(previousOf(file), blockedFormat));
  return document?.domains ?? [];
}

/** Adds the blocked domains of the folder `here` to those of the folder `there`. No server may be using `there`. */
export async function keepBlocked(here: string, there: string): Promise<void> {
  const domains = new Set([...(await blockedIn(there)), ...(await blockedIn(here))]);
  if (domains.size > 0) await writeDocument(fileIn(there), blockedFormat, { domains: [...domains].sort() });
}

/**
 * Opens `blocked.json`. Open it only once in a process. `add` and `remove` also throw the errors of Document.update.
 */
export async function openBlockedDomains(
  options: Pick<DurableFileOptions<unknown>, 'file' | 'onRecovered' | 'now' | 'operations'>,
): Promise<BlockedDomains> {
  const document = await openDocument({
    ...options,
    ...blockedFormat,
  });
  let domains = new Set<string>();
  const list = () => [...domains].sort();
  /** Reads the domains from the document. Skips invalid names, because somebody may have edited the file. */
  const refresh = () => {
    const names = document.data.domains.map(domainName);
    domains = new Set(names.filter((name) => name !== undefined));
  };
  refresh();

  async function change(
    domain: string,
    apply: (names: Set<string>, name: string) => unknown,
  ): Promise<string[]> {
    const name = domainName(domain);
    if (name === undefined) {
      throw new PorchlightError('invalid_request', `"${domain}" is not a domain name.`);
    }
    try {
      await updateForGood(document, (draft) => {
        const names = new Set(draft.domains.map((one) => domainName(one) ?? one));
        apply(names, name);
        draft.domains = [...names].sort();
      });
    } finally {
      refresh(); // even if only the first of the two saves succeeded
    }
    return list();
  }

  return {
    list,
    add: (domain) => change(domain, (names, name) => names.add(name)),
    remove: (domain) => change(domain, (names, name) => names.delete(name)),
    matches(host) {
      const name = domainName(host);
      return name !== undefined && isCovered(name, domains);
    },
    isSaved: () => true,
  };
}
