import { Box, Group, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { CopyButton } from './copy-button.tsx';
import { Address } from './foreign.tsx';
import { publicAddressWords as words } from './words.ts';

/** Shows the public address, with a button that copies it. In a narrow card, the button stands below. */
export function PublicAddress({ url }: { url: string }): ReactElement {
  return (
    <Group gap="sm">
      <Box flex="1 1 240px" miw={0}>
        <Text size="sm" c="dimmed">
          {words.label}
        </Text>
        <Address url={url} />
      </Box>
      <CopyButton value={url} what={words.name} />
    </Group>
  );
}
