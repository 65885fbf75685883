import { expect, test } from 'vitest';
import { tunnelOptionPattern, tunnelOptions } from '../../../src-main/contract/tunnel-options.ts';

const mayBeAdded = (option: string) => new RegExp(tunnelOptionPattern).test(option);

test.each([
  '--protocol=http2',
  '--edge-ip-version=6',
  '--edge-bind-address=192.0.2.7',
  '--edge-bind-address=2001:db8::7',
  '--region=us',
  '--retries=10',
  '--dial-edge-timeout=30s',
  '--label=den.1',
  '--post-quantum',
  '--no-prechecks',
])('%s may be added', (option) => expect(mayBeAdded(option)).toBe(true));

test.each([
  // Porchlight's own.
  '--url=http://192.0.2.7/',
  '--config=/tmp/config.yml',
  '--metrics=0.0.0.0:80',
  '--token=x',
  '--grace-period=1h',
  // These lead elsewhere, or write or read files.
  '--edge=192.0.2.7:7844',
  '--quick-service=https://evil.example',
  '--api-url=https://evil.example',
  '--hello-world',
  '--unix-socket=/run/docker.sock',
  '--logfile=/home/ada/.bashrc',
  '--log-directory=/tmp',
  '--pidfile=/tmp/x',
  '--trace-output=/tmp/x',
  '--origincert=/tmp/x',
  '--credentials-file=/tmp/x',
  '--cacert=/tmp/x',
  '--loglevel=fatal',
  // Other spellings.
  '-p=http2',
  '--protocol',
  '--protocol=http2 --url=http://192.0.2.7/',
  '--protocol=http2\n--url=http://192.0.2.7/',
  '--protocol=http2\n',
  ' --protocol=http2',
  '--PROTOCOL=http2',
  '--region=us.evil.example/',
  '--label=$(id)',
  'run',
  'access',
  '',
])('%j may not', (option) => expect(mayBeAdded(option)).toBe(false));

test('the window lists every option that may be added', () => {
  expect(tunnelOptions).toContain('--protocol=auto|quic|http2');
  expect(tunnelOptions).toContain('--post-quantum');
});
