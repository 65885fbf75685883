import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserDoor } from './browser-door.tsx';
import { ipcClient } from './client/ipc.ts';
import { keptOwnerKey, takeOwnerKey } from './client/owner-key.ts';
import { Look } from './look.tsx';
import { Porchlight } from './porchlight.tsx';

const root = document.getElementById('root');
if (root) {
  const bridge = window.porchlight;
  createRoot(root).render(
    <StrictMode>
      <Look>
        {bridge ? (
          <Porchlight client={ipcClient(bridge)} />
        ) : (
          <BrowserDoor firstKey={takeOwnerKey() ?? keptOwnerKey()} />
        )}
      </Look>
    </StrictMode>,
  );
}
