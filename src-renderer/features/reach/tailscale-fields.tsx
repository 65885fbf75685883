import { Button, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useRef, type ReactElement } from 'react';
import type { Tailscale } from '../../../src-main/contract/reach.ts';
import { useAnswer } from '../../client/queries.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import shared from '../../ui/shared.module.css';
import { Loaded } from '../../ui/states.tsx';
import { tailscaleWords as words } from './words.ts';

interface Props {
  readonly value: string;
  readonly port: number;
  readonly problem: string | undefined;
  readonly onChange: (funnelUrl: string) => void;
}

/** The two commands for Tailscale Funnel, and the address that they give; filled in where Tailscale tells it. */
export function TailscaleFields({ value, port, problem, onChange }: Props): ReactElement {
  const tailscale = useAnswer('setup.tailscale', {});
  useOffered(tailscale.data?.name ?? null, value, onChange);
  return (
    <Stack>
      <Group gap="sm" role="status">
        <Text size="sm" className={shared.wrap}>
          <Loaded query={tailscale} what={words.reading}>
            {(found) => sentenceOf(found)}
          </Loaded>
        </Text>
        {tailscale.data && tailscale.data.state !== 'running' && (
          <Button
            size="xs"
            variant="default"
            loading={tailscale.isFetching}
            onClick={() => void tailscale.refetch()}
          >
            {words.again}
          </Button>
        )}
      </Group>
      <div>
        <Text fw={600} size="sm">
          {words.heading}
        </Text>
        <List type="ordered" size="sm" mt={4} spacing="sm">
          <List.Item>
            {words.publish}
            <CodeBlock text={words.publishCommand(port)} what={words.publishName} />
          </List.Item>
          <List.Item>
            {words.show}
            <CodeBlock text={words.showCommand} what={words.showName} />
          </List.Item>
        </List>
      </div>
      <TextInput
        label={words.label}
        description={words.description}
        placeholder={words.placeholder}
        type="url"
        maxLength={2048}
        value={value}
        error={problem}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </Stack>
  );
}

function sentenceOf({ state, name }: Tailscale): string {
  if (state !== 'running') return words[state];
  return name === null ? words.nameless : words.running(name);
}

/** Fills in the name that Tailscale tells, once, and never over what the owner typed. */
function useOffered(name: string | null, value: string, onChange: (funnelUrl: string) => void): void {
  const latest = useRef({ value, onChange });
  useEffect(() => {
    latest.current = { value, onChange };
  });
  useEffect(() => {
    if (name !== null && latest.current.value === '') latest.current.onChange(`https://${name}`);
  }, [name]);
}
