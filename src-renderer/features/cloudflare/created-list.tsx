import { List } from '@mantine/core';
import type { ReactElement } from 'react';
import type { CloudflareStatus } from '../../../src-main/contract/reach.ts';
import { Address } from '../../ui/foreign.tsx';
import { cardWords } from './words.ts';

/** Lists what Porchlight created at Cloudflare. */
export function CreatedList({ created }: { created: CloudflareStatus['created'] }): ReactElement {
  return (
    <List size="sm" spacing={2}>
      {created.map(({ what, name }) => (
        <List.Item key={`${what} ${name}`}>
          {cardWords.what[what]}: <Address url={name} />
        </List.Item>
      ))}
    </List>
  );
}
