import { Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { closed } from '../contract/shapes.ts';
import type { EndingRegister } from '../storage/endings.ts';
import { rowsIn, withClosedRecords } from '../storage/records/closed-records.ts';
import { asChecked, recordTable } from '../storage/records/record-table.ts';
import type { Records } from '../storage/records/records.ts';

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

export const blockedTable = recordTable({
  name: 'blocked_sites',
  row: closed({ domain: Type.String() }),
  isSound: ({ domain }) => domainName(domain) === domain,
  create: 'CREATE TABLE IF NOT EXISTS blocked_sites (domain TEXT PRIMARY KEY) STRICT',
  format: 1,
  cleaned: asChecked,
});

const insert = 'INSERT OR IGNORE INTO blocked_sites (domain) VALUES (?)';

/** Reads the blocked domains from a data folder, even while a server uses the folder. */
export async function blockedIn(dir: string): Promise<string[]> {
  return (await rowsIn(dir, blockedTable)).map(({ domain }) => domain).sort();
}

/** Adds the blocked domains of the folder `here` to those of the folder `there`. No server may be using `there`. */
export async function keepBlocked(here: string, there: string): Promise<void> {
  const domains = await blockedIn(here);
  await withClosedRecords(there, [blockedTable], (database) => {
    const add = database.prepare(insert);
    for (const domain of domains) add.run(domain);
  });
}

/** Creates the functions that read and change the blocked domains. They also throw the errors of Records. */
export function createBlockedDomains(records: Pick<Records, 'rows' | 'write' | 'openings'>): BlockedDomains {
  const list = () =>
    records.rows(({ domain }) => String(domain), 'SELECT domain FROM blocked_sites ORDER BY domain');
  /** The domains as they were read last, because each mention is compared with them several times. */
  let known: { readonly domains: ReadonlySet<string>; readonly opening: number } | undefined;

  function domains(): ReadonlySet<string> {
    if (known?.opening !== records.openings) known = { domains: new Set(list()), opening: records.openings };
    return known.domains;
  }

  async function change(sql: string, domain: string): Promise<string[]> {
    const name = domainName(domain);
    if (name === undefined) {
      throw new PorchlightError('invalid_request', `"${domain}" is not a domain name.`);
    }
    await records.write(({ run }) => {
      known = undefined;
      run(sql, name);
    });
    return list();
  }

  return {
    list,
    add: (domain) => change(insert, domain),
    remove: (domain) => change('DELETE FROM blocked_sites WHERE domain = ?', domain),
    matches(host) {
      const name = domainName(host);
      return name !== undefined && isCovered(name, domains());
    },
    isSaved: () => true,
  };
}

/** Makes blocks apply at once, even if they can't be saved now. */
export function holdBlocks(store: BlockedDomains, endings: EndingRegister): BlockedDomains {
  const unsaved = endings.kind<null>({
    write: (name) => store.add(name),
    words: (name) => `${name} is blocked`,
  });
  const list = () => [...new Set([...store.list(), ...unsaved.all.keys()])].sort();

  return {
    list,
    isSaved: (domain) => unsaved.isSaved(domainName(domain) ?? domain),
    matches(host) {
      if (store.matches(host)) return true;
      const name = unsaved.all.size === 0 ? undefined : domainName(host);
      return name !== undefined && isCovered(name, unsaved.all);
    },
    async add(domain) {
      const name = domainName(domain);
      if (name === undefined) return store.add(domain); // throws
      await unsaved.end(new Map([[name, null]]), () => store.add(name));
      return list();
    },
    async remove(domain) {
      const name = domainName(domain) ?? domain;
      await unsaved.takeBack([name], async () => {
        // A block that isn't on disk needs no disk to be removed.
        if (unsaved.get(name) === undefined || store.list().includes(name)) await store.remove(domain);
      });
      return list();
    },
  };
}

/**
 * Returns a host's name in the form used for comparison: lowercase, internationalized names in ASCII, without a port or
 * a trailing dot. Returns undefined if the string can't be a host name.
 */
function domainName(text: string): string | undefined {
  const bare = text.trim().replace(/^\.+/, '');
  if (bare === '' || bare.length > 300 || /[\s/\\?#@%]/.test(bare)) return undefined;
  const address = `http://${bare}`;
  if (!URL.canParse(address)) return undefined;
  const name = new URL(address).hostname.replace(/\.+$/, '');
  return name === '' ? undefined : name;
}

/** Returns the domains that cover a host: the host itself, and all domains above it. `host`: from domainName. */
function coveringDomains(host: string): string[] {
  const labels = host.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

/**
 * Returns whether `host` equals one of the domains or is a subdomain of one of them. All names must come from
 * domainName.
 */
const isCovered = (host: string, domains: { has(domain: string): boolean }): boolean =>
  coveringDomains(host).some((name) => domains.has(name));
