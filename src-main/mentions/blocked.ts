import { Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { closed } from '../contract/shapes.ts';
import { withClosedRecords } from '../storage/records/closed-records.ts';
import { recordTable } from '../storage/records/record-table.ts';
import type { Records } from '../storage/records/records.ts';
import { rowsIn } from '../storage/records/stored-rows.ts';
import { coveringDomains, domainName } from './domain-name.ts';

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
export function createBlockedDomains(records: Pick<Records, 'rows' | 'write'>): BlockedDomains {
  const list = () =>
    records.rows(({ domain }) => String(domain), 'SELECT domain FROM blocked_sites ORDER BY domain');

  async function change(sql: string, domain: string): Promise<string[]> {
    const name = domainName(domain);
    if (name === undefined) {
      throw new PorchlightError('invalid_request', `"${domain}" is not a domain name.`);
    }
    await records.write(({ run }) => run(sql, name));
    return list();
  }

  return {
    list,
    add: (domain) => change(insert, domain),
    remove: (domain) => change('DELETE FROM blocked_sites WHERE domain = ?', domain),
    matches(host) {
      const name = domainName(host);
      const isBlocked = (domain: string) =>
        records.rows(() => true, 'SELECT 1 FROM blocked_sites WHERE domain = ?', domain).length > 0;
      return name !== undefined && coveringDomains(name).some(isBlocked);
    },
    isSaved: () => true,
  };
}
