import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export interface UpdateFeed {
  readonly origin: string;
  /** The paths that were asked for. */
  readonly asked: string[];
  readonly close: () => Promise<void>;
}

/** A feed over https that offers one version, with a certificate that nobody signed (made in `folder`, with openssl). */
export async function openUpdateFeed(folder: string, version: string): Promise<UpdateFeed> {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made = ['req', '-x509', '-nodes', '-newkey', 'rsa:2048', '-subj', '/CN=localhost', '-days', '2'];
  execFileSync('openssl', [...made, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const asked: string[] = [];
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    const path = new URL(request.url ?? '/', 'https://localhost').pathname;
    asked.push(path);
    const sha512 = Buffer.alloc(64).toString('base64');
    response.end(
      `version: ${version}\nfiles:\n  - url: new.deb\n    sha512: ${sha512}\n    size: 9\npath: new.deb\nsha512: ${sha512}\n`,
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
