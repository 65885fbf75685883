import { describe, expect, test } from 'vitest';
import { contract } from '../../../src-main/contract/contract.ts';
import { calledMethods } from '../../fuzz/console-requests.ts';
import { generatorNames, requestAt } from '../../fuzz/generators.ts';
import { publicRoutes } from '../../fuzz/routes.ts';

const hosts = { public: 'porch.example', console: '127.0.0.1:1' };
const values = {
  fullToken: 'full-token',
  ownerKey: 'owner-key',
  managementToken: 'management-token',
  site: 'http://127.0.0.1:1',
  postUrl: 'http://127.0.0.1:2/posts/2026/11/first',
};
const many = Array.from({ length: 4000 }, (_, number) => requestAt(1, number, values, hosts));

describe('requests', () => {
  test('are the same for the same seed, and others for another', () => {
    const again = Array.from({ length: 200 }, (_, number) => requestAt(1, number, values, hosts));
    expect(again).toEqual(many.slice(0, 200));
    const others = Array.from({ length: 200 }, (_, number) => requestAt(2, number, values, hosts));
    expect(others.filter(({ bytes }, index) => bytes.equals(many[index]!.bytes)).length).toBeLessThan(5);
  });

  test('reach every route and come from every generator', () => {
    expect(new Set(many.map(({ generator }) => generator))).toEqual(new Set(generatorNames));
    const routes = new Set(many.map(({ route }) => route));
    expect(publicRoutes.filter(({ path }) => !routes.has(path))).toEqual([]);
  });

  test('are delivered in every way', () => {
    const kinds = new Set(many.map(({ delivery }) => delivery.kind));
    expect([...kinds].sort()).toEqual(['aborted', 'half-closed', 'pipelined', 'slow', 'whole']);
  });

  test('come with and without tokens, and with those that open nothing here', () => {
    const texts = many.map(({ bytes }) => bytes.toString('latin1'));
    for (const token of ['full-token', 'management-token', 'owner-key'])
      expect(texts.filter((text) => text.includes(token)).length).toBeGreaterThan(20);
    expect(texts.filter((text) => !/authorization|token/i.test(text)).length).toBeGreaterThan(500);
  });
});

test('the owner’s methods that are left out would end the run, or leave its folder', () => {
  const leftOut = Object.keys(contract).filter((name) => !calledMethods.includes(name));
  expect(leftOut.sort()).toEqual([
    'data.applyRestore',
    'data.backup',
    'data.download',
    'data.export',
    'data.move',
    'data.restart',
    'data.restore',
    'desktop.choosePath',
    'desktop.showInFolder',
    'posts.import',
    'secrets.rotateManagementToken',
    'server.turnOff',
    'server.usePort',
    'setup.check',
    'tunnel.start',
    'webmentions.exportTo',
  ]);
});
