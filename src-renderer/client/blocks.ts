import { useAction, useAnswer } from './queries.ts';

/** The people or the sites that the owner blocks. */
export interface Blocks {
  readonly list: ReturnType<typeof useAnswer<'webmentions.blockedPeople'>>;
  /** Blocks a person or a site. Resolves with whether it wasn't blocked before. */
  readonly block: (entry: string) => Promise<boolean>;
  readonly unblock: (entry: string) => Promise<unknown>;
  readonly isBlocking: boolean;
  readonly blockError: Error | null;
  /** The entry that is being unblocked. */
  readonly unblocking: string | undefined;
  readonly unblockError: Error | null;
}

/** Returns the people that the owner blocks. A person is an address. */
export function useBlockedPeople(): Blocks {
  const list = useAnswer('webmentions.blockedPeople', {});
  const block = useAction('webmentions.blockPerson');
  const unblock = useAction('webmentions.unblockPerson');
  return {
    list,
    async block(author) {
      const before = new Set(list.data);
      return (await block.mutateAsync({ author })).some((one) => !before.has(one));
    },
    unblock: (author) => unblock.mutateAsync({ author }),
    isBlocking: block.isPending,
    blockError: block.error,
    unblocking: unblock.isPending ? unblock.variables.author : undefined,
    unblockError: unblock.error,
  };
}

/** Returns the sites that the owner blocks. A site is a domain. */
export function useBlockedSites(): Blocks {
  const list = useAnswer('webmentions.blockedDomains', {});
  const block = useAction('webmentions.blockDomain');
  const unblock = useAction('webmentions.unblockDomain');
  return {
    list,
    async block(domain) {
      await block.mutateAsync({ domain });
      return !(list.data ?? []).includes(domain);
    },
    unblock: (domain) => unblock.mutateAsync({ domain }),
    isBlocking: block.isPending,
    blockError: block.error,
    unblocking: unblock.isPending ? unblock.variables.domain : undefined,
    unblockError: unblock.error,
  };
}
