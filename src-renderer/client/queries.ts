import {
  keepPreviousData,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { createContext, use, useCallback, useEffect } from 'react';
import type { EventData, MethodName, OwnerEvent, Params, Result } from '../../src-main/contract/contract.ts';
import { PorchlightError } from '../../src-main/contract/error.ts';
import type { Client } from './client.ts';
import {
  dropFromLists,
  isListMethod,
  movePost,
  renewLists,
  replaceInLists,
  type ListMethod,
} from './lists.ts';
import { renewFirstAnswers } from './first-answers.ts';
import { hearOfCloudflare } from './cloudflare-progress.ts';
import { showDataProgress } from './data-progress.ts';
import { isPostImportOver, showPostImport } from './post-import-progress.ts';
import {
  renewCounts,
  renewCountsSoon,
  renewDeliveriesSoon,
  showImport,
  showMention,
} from './mention-lists.ts';

/** The client of the service, for everything inside the window. */
export const ClientContext = createContext<Client | null>(null);

/** Returns the client of the service. */
export function useClient(): Client {
  const client = use(ClientContext);
  if (!client) throw new PorchlightError('server_error', 'This part of the window has no client.');
  return client;
}

/** Returns a cache of answers. The service is on this computer, so the window works offline too. */
export function answerCache(): QueryClient {
  const cache = new QueryClient({
    defaultOptions: {
      queries: { networkMode: 'always', retry: false, staleTime: 30_000 },
      // Some actions return secrets, so their answers are not kept.
      mutations: { networkMode: 'always', gcTime: 0 },
    },
  });
  renewFirstAnswers(cache);
  return cache;
}

/** Returns the answer of a method, cached and kept up to date. */
export function useAnswer<M extends MethodName>(method: M, params: Params<M>): UseQueryResult<Result<M>> {
  const client = useClient();
  return useQuery({ queryKey: [method, params], queryFn: () => client.call(method, params) });
}

/** The part of a list that has loaded. `more` loads the next page, if there is one. */
export type ListAnswer<M extends ListMethod> = UseInfiniteQueryResult<InfiniteData<Result<M>>> & {
  readonly items: Result<M>['items'][number][];
  readonly more: () => void;
};

/**
 * Loads a list page by page and returns the items of all pages so far. `more` loads the next page unless one is loading.
 * After a failure, `fetchNextPage` tries again. Events keep the list up to date (`renewLists`). A list whose loaded items
 * are all gone loads the next page by itself, and is not empty meanwhile: it has no data.
 */
export function useList<M extends ListMethod>(method: M, filters: Omit<Params<M>, 'cursor'>): ListAnswer<M> {
  const client = useClient();
  const list = useInfiniteQuery({
    // A query for one page only has another key, because its answer has another shape.
    queryKey: [method, filters, 'pages'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      client.call(method, {
        ...filters,
        ...(pageParam !== undefined && { cursor: pageParam }),
      }),
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    // An automatic refetch would load every page again.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    gcTime: 0,
  });
  const items = (list.data?.pages ?? []).flatMap((page): Result<M>['items'][number][] => page.items);
  const { fetchNextPage, hasNextPage, isFetching, isError } = list;
  const more = useCallback(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetching, isError]);
  const isDrained = items.length === 0 && hasNextPage;
  useEffect(() => {
    if (isDrained) more();
  }, [isDrained, more]);
  if (!isDrained) return { ...list, items, more };
  return { ...list, data: undefined, isFetchNextPageError: false, items, more } as ListAnswer<M>;
}

/** Returns an action. After it, the window asks again for what the action changes. */
export function useAction<M extends MethodName>(method: M): UseMutationResult<Result<M>, Error, Params<M>> {
  const client = useClient();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (params: Params<M>) => client.call(method, params),
    onSuccess: (result: Result<M>) => {
      const answered = answers[method];
      if (answered) setAnswer(cache, answered, result as Result<typeof answered>);
      if (method === 'posts.delete' || method === 'posts.undelete')
        movePost(cache, result as Result<'posts.delete'>);
      if (method === 'media.delete')
        dropFromLists(cache, 'media.list', (result as Result<'media.delete'>).url);
      if (method === 'webmentions.decide' || method === 'webmentions.undo')
        for (const mention of (result as Result<'webmentions.undo'>).changed) showMention(cache, mention);
      if (isMentionChange(method)) showMention(cache, result as Result<typeof method>);
      if (method.startsWith('webmentions.')) renewCounts(cache);
      renew(cache, client, changes[method] ?? []);
    },
  });
}

/** Keeps the answers up to date while the window is open. */
export function useLiveAnswers(): void {
  const client = useClient();
  const cache = useQueryClient();
  useEffect(() => client.subscribe((event) => hear(cache, client, event)), [client, cache]);
  useEffect(
    () =>
      client.watchConnection((connection) => {
        // The window missed the events of the meantime.
        if (connection !== 'open') return;
        renew(cache, client, ['posts.list', 'media.list', 'webmentions.list', 'activity.list']);
        void cache.invalidateQueries({
          predicate: ({ queryKey }) => !isListMethod(queryKey[0] as MethodName),
        });
      }),
    [client, cache],
  );
}

/** Actions whose result is the new answer of another method. */
const answers: Partial<Record<MethodName, MethodName>> = {
  'status.dismiss': 'status.get',
  'server.turnOn': 'status.get',
  'server.turnOff': 'status.get',
  'server.usePort': 'status.get',
  'settings.update': 'settings.get',
  'profile.setPhoto': 'settings.get',
  'profile.removePhoto': 'settings.get',
  'secrets.setTunnelToken': 'secrets.hasTunnelToken',
  'secrets.setNtfy': 'secrets.hasNtfy',
  'tunnel.start': 'tunnel.status',
  'tunnel.stop': 'tunnel.status',
  'cloudflare.setUp': 'cloudflare.status',
  'cloudflare.resume': 'cloudflare.status',
  'cloudflare.disconnect': 'cloudflare.status',
  'mailbox.turnOn': 'mailbox.status',
  'mailbox.turnOff': 'mailbox.status',
  'mailbox.rotateKeys': 'mailbox.status',
  'mailbox.retry': 'mailbox.status',
  'setup.check': 'setup.lastCheck',
  'webmentions.blockDomain': 'webmentions.blockedDomains',
  'webmentions.unblockDomain': 'webmentions.blockedDomains',
  'webmentions.blockPerson': 'webmentions.blockedPeople',
  'webmentions.unblockPerson': 'webmentions.blockedPeople',
  'siteFolder.retry': 'siteFolder.status',
  'data.cancel': 'data.folder',
  'data.applyRestore': 'data.folder',
};

/** Actions that return the changed mention. */
const mentionChanges = ['webmentions.setStatus', 'webmentions.delete', 'webmentions.restore'] as const;
const isMentionChange = (method: MethodName): method is (typeof mentionChanges)[number] =>
  mentionChanges.some((name) => name === method);

/** What a setup at Cloudflare changes, or its removal. */
const cloudflareQuestions: MethodName[] = [
  ...(['cloudflare.status', 'mailbox.status', 'settings.get'] as const),
  ...(['secrets.hasTunnelToken', 'tunnel.status', 'status.get', 'setup.linkTags'] as const),
];

const signInQuestions: MethodName[] = ['signIns.list', 'signIns.history', 'apps.list', 'status.get'];

/** Actions, and the methods whose answers they change. */
const changes: Partial<Record<MethodName, MethodName[]>> = {
  'server.turnOn': ['activity.list'],
  'server.turnOff': ['activity.list', 'signIns.list'],
  'settings.update': [
    'status.get',
    'setup.linkTags',
    'data.folder',
    'profile.photo',
    'siteFolder.status',
    'siteFolder.adopted',
    'setup.checkBridge',
  ],
  'profile.setPhoto': ['profile.photo'],
  'profile.removePhoto': ['profile.photo'],
  'signIns.approve': signInQuestions,
  'signIns.deny': signInQuestions,
  'signIns.undo': signInQuestions,
  'phones.remove': ['phones.list', 'apps.list', 'signIns.history'],
  'cloudflare.setUp': cloudflareQuestions,
  'cloudflare.resume': cloudflareQuestions,
  'cloudflare.disconnect': cloudflareQuestions,
  'mailbox.turnOn': ['cloudflare.status'],
  'mailbox.turnOff': ['cloudflare.status'],
  'apps.revoke': ['apps.list', 'activity.list'],
  'apps.rename': ['apps.list', 'activity.list'],
  'apps.issueToken': ['apps.list', 'activity.list'],
  'siteFolder.publishAll': ['siteFolder.status', 'posts.list', 'posts.get'],
  'posts.create': ['posts.list', 'posts.categories'],
  'posts.update': ['posts.list', 'posts.get', 'posts.history', 'posts.categories'],
  'posts.restoreVersion': ['posts.list', 'posts.get', 'posts.history'],
  'posts.delete': ['posts.list', 'posts.get'],
  'posts.undelete': ['posts.list', 'posts.get'],
  'posts.restoreCopy': ['posts.damaged', 'posts.list', 'posts.get', 'status.get'],
  'posts.readFiles': ['posts.files', 'posts.list', 'posts.get', 'posts.history', 'status.get'],
  'posts.import': ['posts.imports', 'posts.list', 'media.list'],
  'posts.approveImport': ['webmentions.list'],
  'posts.undoImport': ['posts.imports', 'posts.list', 'posts.get', 'media.list'],
  'media.upload': ['media.list'],
  'media.delete': ['media.list'],
  'webmentions.process': ['webmentions.list'],
  'webmentions.releaseHeld': ['webmentions.list', 'status.get', 'activity.list'],
  'webmentions.retryDelivery': ['webmentions.deliveries', 'webmentions.failedDeliveries'],
  'webmentions.import': ['webmentions.list', 'webmentions.importState'],
  'webmentions.applyRemovals': ['webmentions.list', 'webmentions.importState', 'webmentions.importChanges'],
  'webmentions.undoImport': ['webmentions.list', 'webmentions.importState', 'webmentions.importChanges'],
  'secrets.setAggregatorToken': ['webmentions.importState'],
  'data.backup': ['data.folder'],
  'data.export': ['data.folder'],
  'data.download': ['data.folder'],
  'data.restore': ['data.folder'],
  'data.applyRestore': ['status.get'],
  'data.move': ['data.folder', 'status.get'],
  'data.deleteLeftover': ['data.leftovers'],
};

/** Replaces the answer of a method. A request for it that is still on its way may have been answered before. */
function setAnswer<M extends MethodName>(cache: QueryClient, method: M, answer: Result<M>): void {
  const queryKey = [method, {}];
  void cache.cancelQueries({ queryKey, exact: true });
  cache.setQueryData(queryKey, answer);
}

function hear(cache: QueryClient, client: Client, event: OwnerEvent): void {
  switch (event.name) {
    case 'status.changed':
      setAnswer(cache, 'status.get', event.data);
      renew(cache, client, ['posts.damaged', 'posts.files']);
      return;
    case 'signIn.requested':
      renew(cache, client, ['signIns.list', 'status.get']);
      return;
    case 'signIn.settled':
      renew(cache, client, signInQuestions);
      return;
    case 'post.changed':
      hearOfPost(cache, client, event.data);
      renew(cache, client, ['posts.list', 'posts.get', 'posts.history', 'posts.categories', 'media.get']);
      return;
    case 'posts.importProgress':
      showPostImport(cache, event.data);
      if (isPostImportOver(event.data)) {
        renew(cache, client, ['posts.list', 'media.list', 'webmentions.list', 'settings.get']);
        renewCountsSoon(cache);
      }
      return;
    case 'media.changed':
      if (event.data.change === 'deleted') dropFromLists(cache, 'media.list', event.data.url);
      renew(cache, client, ['media.list', 'media.get']);
      return;
    case 'webmention.received':
    case 'webmention.changed':
      showMention(cache, event.data);
      renewCountsSoon(cache);
      return;
    case 'import.progress':
      showImport(cache, event.data);
      if (event.data.state !== 'running')
        renew(cache, client, ['webmentions.list', 'webmentions.importState']);
      return;
    case 'deliveries.changed':
      renewDeliveriesSoon(cache, event.data.source);
      return;
    case 'settings.changed':
      setAnswer(cache, 'settings.get', event.data);
      renew(cache, client, ['profile.photo', 'posts.categories']);
      return;
    case 'siteFolder.changed':
      setAnswer(cache, 'siteFolder.status', event.data);
      // A page may be live now, and the post says when.
      renew(cache, client, ['posts.get', 'siteFolder.adopted']);
      return;
    case 'tunnel.changed':
      setAnswer(cache, 'tunnel.status', event.data);
      return;
    case 'cloudflare.progress':
      hearOfCloudflare(cache, event.data);
      return;
    case 'mailbox.changed':
      setAnswer(cache, 'mailbox.status', event.data);
      return;
    case 'phones.changed':
      setAnswer(cache, 'phones.list', event.data);
      return;
    case 'data.progress':
      showDataProgress(cache, event.data);
      return;
    case 'activity.added':
      renew(cache, client, ['activity.list']);
      // The history contains a sign-in only after its activity has been written, which is later than signIn.settled.
      if (event.data.kind.startsWith('signIn.')) renew(cache, client, ['signIns.history']);
      // A download counts as a copy when the browser has it.
      if (event.data.kind.startsWith('data.')) renew(cache, client, ['data.folder']);
      return;
    case 'setup.checked':
      setAnswer(cache, 'setup.lastCheck', event.data);
  }
}

/** Loads a changed post on its own: `renewLists` loads only the first page of a list. */
function hearOfPost(cache: QueryClient, client: Client, { url, change }: EventData<'post.changed'>): void {
  const shown = cache.getQueryCache().findAll({ queryKey: ['posts.list'] }).length > 0;
  if (change === 'created' || !shown) return;
  client.call('posts.get', { url }).then(
    ({ item }) => (change === 'updated' ? replaceInLists(cache, 'posts.list', item) : movePost(cache, item)),
    // The post is gone. The next renewal of the list leaves it out.
    () => undefined,
  );
}

function renew(cache: QueryClient, client: Client, methods: readonly MethodName[]): void {
  for (const method of methods) {
    void (isListMethod(method)
      ? renewLists(cache, client, method)
      : cache.invalidateQueries({ queryKey: [method] }));
  }
}
