import { protocol } from 'electron';
import { appOrigin } from '../src-main/desktop/addresses.ts';
import type { serveApp as serveBuiltApp } from '../src-main/desktop/app-protocol.ts';

/**
 * Serves the window at app://porchlight/ from the dev server, with the dev server's own policy. Only `npm run dev` builds
 * this file, in place of src-main/desktop/app-protocol.ts. No other build contains it.
 */
export const serveApp: typeof serveBuiltApp = () => {
  const server = process.env['PORCHLIGHT_DEV_WINDOW'];
  protocol.handle('app', ({ url, headers }) => {
    if (server === undefined || !url.startsWith(`${appOrigin}/`)) return new Response(null, { status: 404 });
    return fetch(server + url.slice(appOrigin.length), { headers });
  });
};
