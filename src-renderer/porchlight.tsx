import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState, type ReactElement } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { App } from './app.tsx';
import type { Client } from './client/client.ts';
import { answerCache, ClientContext } from './client/queries.ts';
import { Broken } from './ui/broken.tsx';
import { watchUnfinished } from './ui/unfinished.ts';

/** The whole window, for one client of the service. */
export function Porchlight({ client }: { client: Client }): ReactElement {
  const [cache] = useState(answerCache);
  useEffect(() => watchUnfinished(() => cache.isMutating() > 0), [cache]);
  return (
    <ClientContext value={client}>
      <QueryClientProvider client={cache}>
        <ErrorBoundary FallbackComponent={Broken}>
          <App />
        </ErrorBoundary>
      </QueryClientProvider>
    </ClientContext>
  );
}
