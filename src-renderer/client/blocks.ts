import type { UseQueryResult } from '@tanstack/react-query';
import { useAction, useAnswer } from './queries.ts';

/** The people or the sites that the owner blocks. */
export interface Blocks {
  readonly list: UseQueryResult<string[]>;
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
    block: async (author) => hasNew(await block.mutateAsync({ author }), list.data),
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
    block: async (domain) => hasNew(await block.mutateAsync({ domain }), list.data),
    unblock: (domain) => unblock.mutateAsync({ domain }),
    isBlocking: block.isPending,
    blockError: block.error,
    unblocking: unblock.isPending ? unblock.variables.domain : undefined,
    unblockError: unblock.error,
  };
}

/** Returns whether a list has an entry that it didn't have before. */
function hasNew(after: readonly string[], before: readonly string[] = []): boolean {
  const known = new Set(before);
  return after.some((entry) => !known.has(entry));
}
