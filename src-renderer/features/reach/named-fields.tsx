import { List, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import type { ReachDraft, ReachProblems } from './reach-choice.ts';
import { namedWords } from './words.ts';

interface Props {
  readonly shown: ReachDraft;
  readonly port: number;
  readonly tokenKept: boolean;
  readonly problems: ReachProblems;
  readonly onChange: (changes: Partial<ReachDraft>) => void;
}

/** What a tunnel that the owner set up by hand needs, and where to find it at Cloudflare. */
export function NamedFields({ shown, port, tokenKept, problems, onChange }: Props): ReactElement {
  return (
    <Stack>
      <div>
        <Text fw={600} size="sm">
          {namedWords.heading}
        </Text>
        <List type="ordered" size="sm" mt={4} spacing={4}>
          <List.Item>{namedWords.create}</List.Item>
          <List.Item>{namedWords.copy}</List.Item>
          <List.Item>
            {namedWords.publish}
            <code>http://127.0.0.1:{port}</code>
          </List.Item>
        </List>
      </div>
      <TextInput
        label={namedWords.hostname}
        placeholder={namedWords.hostnamePlaceholder}
        maxLength={300}
        autoCapitalize="off"
        spellCheck={false}
        value={shown.hostname}
        error={problems.hostname}
        onChange={(event) => onChange({ hostname: event.currentTarget.value })}
      />
      <PasswordInput
        label={tokenKept ? namedWords.newToken : namedWords.token}
        description={tokenKept ? namedWords.tokenKept : namedWords.tokenSafe}
        autoComplete="off"
        value={shown.token}
        error={problems.token}
        onChange={(event) => onChange({ token: event.currentTarget.value })}
      />
    </Stack>
  );
}
