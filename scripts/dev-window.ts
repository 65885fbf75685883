import { realpathSync } from 'node:fs';
import { request as requestOf, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createListener } from 'node:net';
import { Console } from 'node:console';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createLogger, createServer } from 'vite';
import { windowPolicy } from '../src-main/http/response-headers.ts';
import { newSecretText, sameText } from '../src-main/platform/secrets.ts';
import { root } from './child.ts';
import type { Ready } from './dev-program.ts';

/** The window of the sources, on loopback, which changes as they do. */
export interface DevWindow {
  /** Without a slash at the end. */
  readonly url: string;
  /** The owner key of this session. It stays the same when the program is started again and has a new one. */
  readonly ownerKey: string;
  /** Calls `onChange` when a file below the folder was added, changed or removed. */
  watch(folder: string, onChange: () => void): void;
  close(): Promise<void>;
}

interface WindowOptions {
  /** 0 picks a free port. */
  readonly port: number;
  readonly cacheDir: string;
  /** Resolves when the program is ready; undefined if it isn't running. */
  readonly program: () => Promise<Ready | undefined>;
}

/** Serves the window with Vite. Calls from the window wait for the program while it is started again. */
export async function serveWindow({ port: requested, cacheDir, program }: WindowOptions): Promise<DevWindow> {
  const port = requested === 0 ? await freePort() : requested;
  const url = `http://127.0.0.1:${port}`;
  const ownerKey = newSecretText();
  const nonce = newSecretText();
  const server = await createServer({
    configFile: join(root, 'vite.config.ts'),
    cacheDir,
    // stdout belongs to --json.
    customLogger: createLogger('info', { allowClearScreen: false, console: new Console(process.stderr) }),
    html: { cspNonce: nonce },
    plugins: [
      {
        name: 'calls-to-the-program',
        configureServer({ middlewares }) {
          middlewares.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
            if (request.url?.startsWith('/api/') === true)
              void passOn(request, response, { program, ownerKey });
            else next();
          });
        },
      },
    ],
    server: {
      host: '127.0.0.1',
      port,
      strictPort: true,
      cors: false,
      headers: { 'content-security-policy': policyOf({ port, nonce }), 'referrer-policy': 'no-referrer' },
      // Electron's window has the origin app://porchlight, from which the address can't be guessed.
      ws: { protocol: 'ws', host: '127.0.0.1', clientPort: port },
      // Not the project's folder: .dev/ contains data and secrets.
      fs: {
        allow: ['src-renderer', 'src-main/contract', 'node_modules'].map((name) =>
          realpathSync(join(root, name)),
        ),
      },
    },
  });
  await server.listen();
  return {
    url,
    ownerKey,
    watch(folder, onChange) {
      server.watcher.add(folder);
      server.watcher.on('all', (_event, file) => file.startsWith(folder) && onChange());
    },
    close: () => server.close(),
  };
}

/** Returns the window's policy with what Vite needs: its own inline script, by nonce, and its WebSocket. */
function policyOf({ port, nonce }: { port: number; nonce: string }): string {
  return windowPolicy
    .replace("script-src 'self'", `script-src 'self' 'nonce-${nonce}'`)
    .replace("connect-src 'self'", `connect-src 'self' ws://127.0.0.1:${port}`);
}

/** Passes a call of the window on to the program. Replaces what names this server or this session, and nothing else. */
async function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  { program, ownerKey }: { program: WindowOptions['program']; ownerKey: string },
): Promise<void> {
  const running = await program();
  if (!running) return void response.writeHead(503).end();
  const { host, hostname, port } = new URL(running.consoleUrl);
  const headers = { ...request.headers, host };
  if (headers.origin === `http://${request.headers.host}`) headers.origin = running.consoleUrl;
  if (sameText(headers.authorization ?? '', `Bearer ${ownerKey}`))
    headers.authorization = `Bearer ${running.ownerKey}`;
  const { url: path, method } = request;
  const onward = requestOf({ hostname, port, path, method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    pipeline(answer, response, () => undefined);
  });
  onward.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(503).end()));
  response.once('close', () => onward.destroy());
  pipeline(request, onward, () => undefined);
}

async function freePort(): Promise<number> {
  const listener = createListener();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const bound = listener.address();
  await new Promise((resolve) => listener.close(resolve));
  return typeof bound === 'object' && bound ? bound.port : 0;
}
