import type { EndingRegister } from '../storage/endings.ts';
import type { BlockedDomains } from './blocked.ts';
import { domainName, isCovered } from './domain-name.ts';

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
      const name = domainName(host);
      return store.matches(host) || (name !== undefined && isCovered(name, new Set(unsaved.all.keys())));
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
