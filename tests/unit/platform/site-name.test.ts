import { expect, test } from 'vitest';
import { siteOfHost } from '../../../src-main/platform/site-name.ts';

test.each([
  ['bea.example', 'bea.example'],
  ['www.bea.example', 'bea.example'],
  ['a.b.c.bea.example:8443', 'bea.example'],
  ['bea.example.', 'bea.example'],
  ['bea.co.uk', 'bea.co.uk'],
  ['www.bea.co.uk', 'bea.co.uk'],
  ['www.co.example', 'co.example'],
  ['n1.bea.de', 'bea.de'],
  ['localhost', 'localhost'],
  ['192.0.2.1:8080', '192.0.2.1'],
  ['127.0.0.1:8080', '127.0.0.1:8080'],
  ['[2001:db8:5::1]:443', '[2001:db8:5'],
  ['[2001:db8:5:ffff::9]', '[2001:db8:5'],
])('%s is of the site %s', (host, site) => {
  expect(siteOfHost(host)).toBe(site);
});
