import { pbkdf2 } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createGuardedFetch } from '../../../src-main/platform/guarded-fetch.ts';
import { createNameLookup, type NameLookupOptions } from '../../../src-main/platform/guarded-connector.ts';
import { serveDns, type DnsName, type DnsServer } from '../../support/dns-server.ts';
import { answer, hostileServer } from '../../support/hostile-server.ts';
import { limitOf } from '../../support/patience.ts';

const hanging = Array.from({ length: 10 }, (_, index) => `hang${index}.test`);
const many = Array.from({ length: 200 }, (_, index) => `198.51.100.${index}`);
const six = '2606:4700:0000:0000:0000:0000:0000:0001';
const names: Record<string, DnsName> = {
  ...Object.fromEntries(hanging.map((name) => [name, { hangs: true }])),
  'good.test': { four: ['127.0.0.1'] },
  'both.test': { four: ['93.184.215.14', '93.184.215.15'], six: [six] },
  'six.test': { six: [six] },
  'halfsilent.test': { four: ['93.184.215.14'], hangs: 'six' },
  'empty.test': {},
  'alias.test': { alias: 'inside.test', four: ['10.0.0.7'] },
  'many.test': { four: many, six: [six] },
};

let dns: DnsServer;
beforeAll(async () => {
  dns = await serveDns(names);
});
afterAll(() => dns.close());

const noSystem = (name: string) => Promise.reject<string[]>(new Error(`The system was asked for ${name}.`));

function lookupHere(options: NameLookupOptions = {}) {
  return createNameLookup({ servers: [dns.address], system: noSystem, ...options });
}

const toStop: AbortController[] = [];
afterEach(() => {
  for (const one of toStop.splice(0)) one.abort();
});

/** Asks for names that hang until the test is over. */
function hang(lookup: ReturnType<typeof lookupHere>): Promise<unknown>[] {
  const controller = new AbortController();
  toStop.push(controller);
  return hanging.map((name) => lookup(name, controller.signal).catch((error: unknown) => error));
}

describe('a DNS server that is silent', () => {
  test('ten names that hang delay no other name', async () => {
    const lookup = lookupHere();
    await lookup('good.test');
    void hang(lookup);
    const begun = performance.now();
    expect(await lookup('good.test')).toEqual(['127.0.0.1']);
    expect(performance.now() - begun).toBeLessThan(limitOf(1000));
  });

  test('ten fetches whose names hang delay no other fetch', async () => {
    const server = await hostileServer({ '/': answer(200, 'hello') });
    const fetch = createGuardedFetch({ allowPrivate: true, userAgent: 'test', lookup: lookupHere() });
    const slow = hanging.map((name) => fetch(`http://${name}/`).catch((error: unknown) => error));
    const begun = performance.now();
    const { port } = new URL(server.origin);
    expect((await fetch(`http://good.test:${port}/`)).text()).toBe('hello');
    expect(performance.now() - begun).toBeLessThan(limitOf(1000));
    await fetch.close();
    await Promise.all(slow);
    await server.close();
  });

  test('ten names that hang take none of the threads that files and hashes need', async () => {
    const lookup = lookupHere();
    await lookup('good.test');
    const slow = hang(lookup);
    const begun = performance.now();
    // Four at once: each of the threads is needed.
    await Promise.all(Array.from({ length: 4 }, () => promisify(pbkdf2)('a', 'b', 1000, 32, 'sha256')));
    await Promise.all(Array.from({ length: 4 }, () => readFile(import.meta.filename)));
    expect(performance.now() - begun).toBeLessThan(limitOf(1000));
    expect(await Promise.race([Promise.any(slow), Promise.resolve('they still hang')])).toBe(
      'they still hang',
    );
  });

  test('a hanging name lookup fails within 6 s, and at once if nobody waits', async () => {
    const lookup = lookupHere();
    await lookup('good.test');
    const controller = new AbortController();
    const begun = performance.now();
    const stopped = lookup('hang0.test', controller.signal);
    const patient = lookup('hang1.test');
    controller.abort(new Error('nobody waits'));
    await expect(stopped).rejects.toThrow('nobody waits');
    expect(performance.now() - begun).toBeLessThan(limitOf(1000));
    await expect(patient).rejects.toMatchObject({ code: 'EAI_AGAIN' });
    expect(performance.now() - begun).toBeLessThan(limitOf(6000));
  }, 60_000);

  test('where only one kind of address hangs, the other is taken after a second', async () => {
    const begun = performance.now();
    expect(await lookupHere()('halfsilent.test')).toEqual(['93.184.215.14']);
    expect(performance.now() - begun).toBeLessThan(limitOf(2500));
  });
});

describe('what DNS answers', () => {
  test('both kinds of addresses come, by turns', async () => {
    expect(await lookupHere()('both.test')).toEqual(['93.184.215.14', '2606:4700::1', '93.184.215.15']);
  });

  test('a name with only IPv6 addresses is found', async () => {
    expect(await lookupHere()('six.test')).toEqual(['2606:4700::1']);
  });

  test.each(['empty.test', 'nowhere.test'])('%s is not found, and the system is not asked', async (name) => {
    await expect(lookupHere()(name)).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  test('if DNS answers with hundreds of addresses, a hundred of each IP version are used, and both versions come early', async () => {
    const found = await lookupHere()('many.test');
    expect(found).toHaveLength(101);
    expect(found.slice(0, 6)).toContain('2606:4700::1');
  });

  test('an alias of a name with a private address is refused', async () => {
    const fetch = createGuardedFetch({ allowPrivate: false, userAgent: 'test', lookup: lookupHere() });
    await expect(fetch('http://alias.test/')).rejects.toMatchObject({ code: 'fetch_refused_address' });
    await fetch.close();
  });
});

describe('the system’s own lookup', () => {
  test('is used if no DNS server can be reached, for one name at a time', async () => {
    const gone = await serveDns({});
    await gone.close();
    let busy = 0;
    const most: number[] = [];
    const system = async (name: string) => {
      most.push(++busy);
      await new Promise((resolve) => setTimeout(resolve, 20));
      busy -= 1;
      return [`of ${name}`];
    };
    const lookup = lookupHere({ servers: [gone.address], system });
    const found = await Promise.all(['a.test', 'b.test', 'c.test'].map((name) => lookup(name)));
    expect(found).toEqual([['of a.test'], ['of b.test'], ['of c.test']]);
    expect(most).toEqual([1, 1, 1]);
  });

  test('is asked where DNS servers never answered, and not once one did', async () => {
    const asked: string[] = [];
    const system = (name: string) => {
      asked.push(name);
      return Promise.resolve(['192.0.2.1']);
    };
    const lookup = lookupHere({ system });
    expect(await lookup('hang0.test')).toEqual(['192.0.2.1']);
    await lookup('good.test');
    await expect(lookup('hang1.test')).rejects.toMatchObject({ code: 'EAI_AGAIN' });
    expect(asked).toEqual(['hang0.test']);
  }, 90_000);

  test('is asked for names that DNS does not have, where local names count', async () => {
    const system = () => Promise.resolve(['127.0.0.1']);
    expect(await lookupHere({ system, withLocalNames: true })('nowhere.test')).toEqual(['127.0.0.1']);
  });
});
