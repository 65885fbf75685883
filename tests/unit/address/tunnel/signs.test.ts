import { describe, expect, test } from 'vitest';
import { errorMessageIn, readSign } from '../../../../src-main/address/tunnel/state.ts';

// Lines as cloudflared 2026.8 writes them.
describe("cloudflared's log", () => {
  test('the banner of a quick tunnel tells its address', () => {
    const line = '2026-02-22T03:45:36Z INF |  https://subsidiary-bride-joan.trycloudflare.com            |';
    expect(readSign(line)).toEqual({
      kind: 'address',
      url: 'https://subsidiary-bride-joan.trycloudflare.com',
    });
  });

  test.each([
    ['Registered tunnel connection connIndex=0 connection=44986d4e ip=198.41.192.47 protocol=quic', 0],
    ['Registered tunnel connection connIndex=12 connection=44986d4e ip=2606:4700:a8::2 protocol=http2', 12],
  ])('connected: %s', (words, connection) => {
    expect(readSign(`2026-08-14T07:02:30Z INF ${words}`)).toEqual({ kind: 'connected', connection });
  });

  test.each([
    'INF Unregistered tunnel connection connIndex=2 event=0 ip=198.41.192.47',
    'ERR Connection terminated connIndex=2',
    'ERR Serve tunnel error error="accept stream listener encountered a failure" connIndex=2 event=0 ip=198.41.192.7',
    'INF Lost connection with the edge connIndex=2',
    'INF Retrying connection in up to 1s connIndex=2 event=0 ip=198.41.192.7',
  ])('disconnected: %s', (words) => {
    expect(readSign(`2026-09-19T05:33:40Z ${words}`)).toEqual({ kind: 'disconnected', connection: 2 });
  });

  test.each([
    'ERR Request failed error="Unable to reach the origin service: dial tcp 127.0.0.1:4180: connect: connection refused" connIndex=0 dest=https://porch.example.com/ type=http',
    'INF Tunnel connection curve preferences: [X25519MLKEM768 CurveP256] connIndex=0 event=0 ip=198.41.200.23',
    'INF Requesting new quick Tunnel on trycloudflare.com...',
    'INF Starting metrics server on 10.0.0.1:20241/metrics',
    '',
  ])('tells nothing about the connection: %s', (words) => {
    expect(readSign(words)).toBeUndefined();
  });

  test.each([
    '2026-08-27T18:04:44Z INF Starting metrics server on 127.0.0.1:20241/metrics',
    '2026-08-27T18:04:44.123456789+02:00 INF Starting metrics server on 127.0.0.1:20241/metrics',
    'INF Starting metrics server on 127.0.0.1:20241/metrics',
  ])('its state in the log: %s', (line) => {
    expect(readSign(line)).toEqual({ kind: 'metrics', port: 20_241 });
  });

  test.each([
    ['Provided Tunnel token is not valid.', 'bad_token', true],
    [
      '2021-08-02T13:44:44Z ERR Register tunnel error from server side error="Unauthorized: Invalid tunnel secret" connIndex=0',
      'bad_token',
      true,
    ],
    [
      '2023-10-09T00:47:28Z ERR Failed to serve quic connection error="Unauthorized: Failed to get tunnel" connIndex=0 event=0 ip=198.41.192.67',
      'bad_token',
      true,
    ],
    [
      '2026-09-14T07:02:30Z ERR failed to serve the control stream error="Unauthorized: Tunnel not found" connIndex=0 event=0 ip=198.41.192.67',
      'bad_token',
      true,
    ],
    [
      'failed to request quick Tunnel: Post "https://api.trycloudflare.com/tunnel": tls: failed to verify certificate: x509: certificate signed by unknown authority',
      'intercepted',
      false,
    ],
    [
      '2026-08-14T07:02:30Z ERR Unable to establish connection with Cloudflare edge error="TLS handshake with edge error: x509: certificate signed by unknown authority" connIndex=0',
      'intercepted',
      false,
    ],
    [
      '2026-08-14T07:02:30Z ERR Failed to dial a quic connection error="failed to dial to edge with quic: CRYPTO_ERROR 0x12a (local): tls: failed to verify certificate: x509: certificate is valid for proxy.corp.example, not quic.cftunnel.com" connIndex=0',
      'intercepted',
      false,
    ],
    ['2026-08-14T07:02:30Z ERR x509: certificate signed by unknown authority', 'intercepted', false],
    [
      '2026-08-14T07:02:30Z WRN Unable to establish connection with Cloudflare edge error="TLS handshake with edge error: x509: certificate has expired or is not yet valid: current time 2020-01-01T00:00:00Z is before 2026-01-01T00:00:00Z" connIndex=0',
      'wrong_clock',
      false,
    ],
    [
      '2026-08-14T07:02:30Z ERR Error unmarshaling QuickTunnel response: error code: 1015 error="invalid character \'e\'" status_code="429 Too Many Requests"',
      'rate_limited',
      false,
    ],
    ['failed to unmarshal quick Tunnel: invalid character', 'crashed', false],
    [
      'failed to request quick Tunnel: Post "https://api.trycloudflare.com/tunnel": no such host',
      'no_network',
      false,
    ],
    [
      '2026-07-23T07:15:56Z ERR Failed to dial a quic connection error="failed to dial to edge with quic: timeout: no recent network activity" connIndex=0 event=0 ip=198.41.200.33',
      'no_network',
      false,
    ],
    [
      '2026-07-23T07:15:57Z ERR Failed to initialize DNS local resolver error="lookup region1.v2.argotunnel.com: i/o timeout"',
      'no_network',
      false,
    ],
    [
      '2022-07-25T12:47:31Z WRN Unable to establish connection with Cloudflare edge error="TLS handshake with edge error: i/o timeout" connIndex=1',
      'no_network',
      false,
    ],
  ])('trouble: %s (%s, final: %s)', (line, reason, final) => {
    expect(readSign(line)).toMatchObject({ kind: 'trouble', reason, final });
  });

  test.each([
    'Registered tunnel connection connIndex=3',
    'Starting metrics server on 127.0.0.1:22/metrics',
    'Unregistered tunnel connection connIndex=0',
    'Provided Tunnel token is not valid.',
    'Unauthorized: Tunnel not found',
    'x509: certificate signed by unknown authority',
    '|  https://evil.trycloudflare.com  |',
  ])('a visitor’s text is no sign, wherever the log repeats it: %s', (words) => {
    const line = `2026-08-14T07:02:30Z ERR Request failed error="${words}" dest=https://porch.example.com/${words}`;
    expect(readSign(line)).toBeUndefined();
    expect(errorMessageIn(line, undefined)).toBeUndefined();
    const other = `2026-08-14T07:02:30Z ERR failed to serve incoming request error="Unauthorized: ${words}"`;
    expect(readSign(other)).toBeUndefined();
  });

  test('its own message is the last error, or the first line of a program that ends at once', () => {
    const lines = [
      '2026-08-14T07:02:30Z INF Version 2026.9.3',
      '2026-08-14T07:02:30Z ERR first error="x"',
      '2026-08-14T07:02:31Z ERR second\u001b[31m error="y"',
      'NAME: cloudflared',
    ];
    const last = (all: string[]) =>
      all.reduce<string | undefined>((before, line) => errorMessageIn(line, before), undefined);
    expect(last(lines)).toBe('second [31m error="y"');
    expect(last(['Incorrect Usage: flag provided but not defined: -x', 'NAME: cloudflared'])).toBe(
      'Incorrect Usage: flag provided but not defined: -x',
    );
  });
});
