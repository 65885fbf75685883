#!/usr/bin/env node
// Stands in for cloudflared: prints the lines that the real one prints, without any network.
//   FAKE_CLOUDFLARED   what each start does, separated by commas; the last one goes on for all later starts
//   FAKE_CLOUDFLARED_NAME   the first part of a quick tunnel's address
//   FAKE_CLOUDFLARED_READY   a file with the number of connections that its metrics tell
//   FAKE_CLOUDFLARED_RECORD   a file that gets one line of JSON a start: pid, arguments, its variables, its config
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const say = (text) => process.stderr.write(`2026-11-21T10:00:00Z ${text}\n`);
const stay = () => setInterval(() => undefined, 60_000);

const quickName = process.env.FAKE_CLOUDFLARED_NAME ?? 'warm-light-on-porch';
const banner = () => {
  say(
    'INF Thank you for trying Cloudflare Tunnel. Doing so, without a Cloudflare account, is a quick way to try.',
  );
  say('INF Requesting new quick Tunnel on trycloudflare.com...');
  say('INF +----------------------------------------------------------------------------------------+');
  say('INF |  Your quick Tunnel has been created! Visit it at (it may take some time to be reachable):  |');
  say(`INF |  https://${quickName}.trycloudflare.com                                          |`);
  say('INF +----------------------------------------------------------------------------------------+');
};
const register = (index) =>
  say(
    `INF Registered tunnel connection connIndex=${index} connection=44986d4e-c420-4a53-a449-92d20b51cb6e event=0 ip=2606:4700:a8::2 location=tpe01 protocol=quic`,
  );
const lose = (index) => {
  say(`ERR Connection terminated error="timeout: no recent network activity" connIndex=${index}`);
  say(`INF Retrying connection in up to 1s connIndex=${index} event=0 ip=198.41.192.57`);
};
/** Cloudflare refuses a connection; the real one tries again for ever. */
const refuse = (index, why) => {
  say(
    `ERR failed to serve the control stream error="Unauthorized: ${why}" connIndex=${index} event=0 ip=198.41.192.57`,
  );
  say(`ERR Register tunnel error from server side error="Unauthorized: ${why}" connIndex=${index} event=0`);
  say(`INF Retrying connection in up to 1s connIndex=${index} event=0 ip=198.41.192.57`);
};
const isQuick = !process.argv.includes('run');

/** Serves /ready as the real one does, then goes on. */
const metrics = (then) => {
  const connectorId = randomUUID();
  const server = createServer((request, response) => {
    const readyConnections = Number(readFileSync(process.env.FAKE_CLOUDFLARED_READY, 'utf8'));
    const status = readyConnections > 0 ? 200 : 503;
    response.writeHead(request.url === '/ready' ? status : 404);
    response.end(`${JSON.stringify({ status, readyConnections, connectorId })}\n`);
  });
  server.listen(0, '127.0.0.1', () => {
    say(`INF Generated Connector ID: ${connectorId}`);
    say(`INF Starting metrics server on 127.0.0.1:${server.address().port}/metrics`);
    then();
  });
};

const acts = {
  /** Connects, and tells of it in its metrics. */
  measured() {
    metrics(acts.connect);
  },
  /** The same, and does not go when it is asked to. */
  measuredStubborn() {
    metrics(acts.stubborn);
  },
  connect() {
    if (isQuick) banner();
    register(0);
    stay();
  },
  /** One connection goes, the other stays; then both are gone, then one is back. */
  flap() {
    register(0);
    register(1);
    lose(0);
    lose(1);
    register(1);
    stay();
  },
  /** Gets its connection, then dies. */
  die() {
    if (isQuick) banner();
    register(0);
    process.exitCode = 1;
  },
  crash() {
    say('ERR Initiating shutdown error="unexpected"');
    process.exitCode = 1;
  },
  rateLimited() {
    say('INF Requesting new quick Tunnel on trycloudflare.com...');
    say(
      'ERR Error unmarshaling QuickTunnel response: error code: 1015 error="invalid character \'e\' looking for beginning of value" status_code="429 Too Many Requests"',
    );
    process.stderr.write(
      "failed to unmarshal quick Tunnel: invalid character 'e' looking for beginning of value\n",
    );
    process.exitCode = 1;
  },
  unreachable() {
    process.stderr.write(
      'failed to request quick Tunnel: Post "https://api.trycloudflare.com/tunnel": dial tcp: lookup api.trycloudflare.com: no such host\n',
    );
    process.exitCode = 1;
  },
  badToken() {
    process.stderr.write('Provided Tunnel token is not valid.\n');
    process.exitCode = 255;
  },
  /** Its tunnel is deleted while it is connected. */
  deleted() {
    if (isQuick) banner();
    register(0);
    lose(0);
    refuse(0, 'Tunnel not found');
    stay();
  },
  /** Its token was revoked. It doesn't go when it is asked to. */
  revoked() {
    process.on('SIGTERM', () => undefined);
    refuse(0, 'Invalid tunnel secret');
    stay();
  },
  /** One connection is refused, another stands. */
  partlyRefused() {
    register(0);
    refuse(1, 'Tunnel not found');
    register(2);
    stay();
  },
  intercepted() {
    say(
      'ERR Unable to establish connection with Cloudflare edge error="TLS handshake with edge error: tls: failed to verify certificate: x509: certificate signed by unknown authority" connIndex=0 event=0 ip=198.41.200.33',
    );
    stay();
  },
  /** Says its token aloud, as no log should repeat it. */
  chatter() {
    say(`INF Settings: map[token:${process.env.TUNNEL_TOKEN}]`);
    acts.connect();
  },
  /** Runs and prints nothing. */
  silent() {
    stay();
  },
  stubborn() {
    process.on('SIGTERM', () => undefined);
    acts.connect();
  },
};

const record = process.env.FAKE_CLOUDFLARED_RECORD;
const earlier = existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n').length : 0;
const variables = Object.entries(process.env).filter(([name]) => name.startsWith('TUNNEL_'));
const args = process.argv.slice(2);
const config = readFileSync(args[args.indexOf('--config') + 1], 'utf8');
appendFileSync(
  record,
  `${JSON.stringify({ pid: process.pid, args, variables: Object.fromEntries(variables), config })}\n`,
);
const plan = process.env.FAKE_CLOUDFLARED.split(',');
acts[plan[Math.min(earlier, plan.length - 1)]]();
