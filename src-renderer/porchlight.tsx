import { QueryClientProvider } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { App } from './app.tsx';
import type { Client } from './client/client.ts';
import { answerCache, ClientContext } from './client/queries.ts';

/** The window around one line to the service. */
export function Porchlight({ client }: { client: Client }): ReactElement {
  const [cache] = useState(answerCache);
  return (
    <ClientContext value={client}>
      <QueryClientProvider client={cache}>
        <App />
      </QueryClientProvider>
    </ClientContext>
  );
}
