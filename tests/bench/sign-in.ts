import { startHeadless } from '../support/headless-process.ts';
import { startBare } from './bare.ts';
import { throughputs } from './load.ts';
import { heading, ratio, row } from './report.ts';
import { residentMegabytes } from './start-up.ts';

/** What a request about sign-in costs over a bare Fastify route. */
export async function benchSignIn(): Promise<void> {
  const porchlight = await startHeadless({ args: ['--me', 'https://owner.example/'] });
  const { token } = await porchlight.call('apps.issueToken', { label: 'Benchmark', scopes: ['read'] });
  const bare = await startBare();
  const { baseUrl } = porchlight.ready;
  const rates = await throughputs({
    bare: { url: bare.url },
    metadata: { url: `${baseUrl}/.well-known/oauth-authorization-server` },
    introspection: {
      url: `${baseUrl}/introspect`,
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    },
  });
  heading('Requests a second (median of rounds taken in turn)');
  row('bare Fastify JSON route', rates.bare.toFixed(0));
  row(
    'metadata',
    rates.metadata.toFixed(0),
    `${ratio(rates.metadata, rates.bare)} of bare (aim: at least 0.8)`,
  );
  row(
    'introspection',
    rates.introspection.toFixed(0),
    `${ratio(rates.introspection, rates.bare)} of bare (aim: at least 0.6)`,
  );
  row('memory after the load, MB', (await residentMegabytes(porchlight.child.pid ?? 0)).toFixed(0));
  bare.stop();
  await porchlight.remove();
}
