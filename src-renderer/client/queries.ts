import {
  QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { createContext, use, useEffect } from 'react';
import type { MethodName, OwnerEvent, Params, Result } from '../../src-main/contract/contract.ts';
import { PorchlightError } from '../../src-main/contract/error.ts';
import type { Client } from './client.ts';

/** The line to the service, for everything inside the window. */
export const ClientContext = createContext<Client | null>(null);

/** The line to the service. */
export function useClient(): Client {
  const client = use(ClientContext);
  if (!client) throw new PorchlightError('server_error', 'This part of the window has no client.');
  return client;
}

/** A cache of answers. The service is on this computer, so being offline stops nothing. */
export function answerCache(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { networkMode: 'always', retry: false, staleTime: 30_000 },
      // Secrets come as answers to actions: they are not kept.
      mutations: { networkMode: 'always', gcTime: 0 },
    },
  });
}

/** The answer to a question, kept and renewed. */
export function useAnswer<M extends MethodName>(method: M, params: Params<M>): UseQueryResult<Result<M>> {
  const client = useClient();
  return useQuery({ queryKey: [method, params], queryFn: () => client.call(method, params) });
}

/** An action; what it changes is asked for again. */
export function useAction<M extends MethodName>(method: M): UseMutationResult<Result<M>, Error, Params<M>> {
  const client = useClient();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (params: Params<M>) => client.call(method, params),
    onSuccess: (result: Result<M>) => {
      const answered = answers[method];
      if (answered) cache.setQueryData([answered, {}], result);
      renew(cache, changes[method] ?? []);
    },
  });
}

/** Keeps the answers true while the window is open. */
export function useLiveAnswers(): void {
  const client = useClient();
  const cache = useQueryClient();
  useEffect(() => client.subscribe((event) => hear(cache, event)), [client, cache]);
  useEffect(
    () =>
      client.watchConnection((connection) => {
        // What happened meanwhile was not heard.
        if (connection === 'open') void cache.invalidateQueries();
      }),
    [client, cache],
  );
}

/** Actions whose result is the new answer to a question. */
const answers: Partial<Record<MethodName, MethodName>> = {
  'server.turnOn': 'status.get',
  'server.turnOff': 'status.get',
  'settings.update': 'settings.get',
};

const signInQuestions: MethodName[] = ['signIns.list', 'signIns.history', 'apps.list', 'status.get'];

/** Actions, and the questions whose answers they change. */
const changes: Partial<Record<MethodName, MethodName[]>> = {
  'server.turnOn': ['activity.list'],
  'server.turnOff': ['activity.list', 'signIns.list'],
  'settings.update': ['status.get', 'setup.linkTags'],
  'signIns.approve': signInQuestions,
  'signIns.deny': signInQuestions,
  'apps.revoke': ['apps.list', 'activity.list'],
  'apps.issueToken': ['apps.list', 'activity.list'],
};

function hear(cache: QueryClient, event: OwnerEvent): void {
  switch (event.name) {
    case 'status.changed':
      cache.setQueryData(['status.get', {}], event.data);
      return;
    case 'signIn.requested':
      renew(cache, ['signIns.list', 'status.get']);
      return;
    case 'signIn.settled':
      renew(cache, signInQuestions);
      return;
    case 'activity.added':
      renew(cache, ['activity.list']);
  }
}

function renew(cache: QueryClient, methods: readonly MethodName[]): void {
  for (const method of methods) void cache.invalidateQueries({ queryKey: [method] });
}
