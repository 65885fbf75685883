import '@fontsource-variable/inter/index.css';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserDoor } from './browser-door.tsx';
import { ipcClient } from './client/ipc.ts';
import { keptOwnerKey, takeLinkCode, takeOwnerKey } from './client/owner-key.ts';
import { DesktopTools } from './desktop/desktop-tools.tsx';
import { Appearance } from './appearance.tsx';
import { Porchlight } from './porchlight.tsx';
import { keepFocus } from './ui/keep-focus.ts';

const root = document.getElementById('root');
if (root) {
  keepFocus();
  const bridge = window.porchlight;
  // Once, before the first render: reading the code also takes it out of the address.
  const opened = { firstCode: takeLinkCode(), firstKey: takeOwnerKey() ?? keptOwnerKey() };
  createRoot(root).render(
    <StrictMode>
      <Appearance>
        {bridge ? (
          <>
            <Porchlight client={ipcClient(bridge)} />
            <DesktopTools bridge={bridge} />
          </>
        ) : (
          <BrowserDoor {...opened} />
        )}
      </Appearance>
    </StrictMode>,
  );
}
