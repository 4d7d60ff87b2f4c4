# awk -f batches.awk FILES... prints "batch file" for each file. Files of one batch are
# compiled as one, so no two of them may define the same name in an anonymous namespace,
# nor may one define a type there whose name means another one, a header's, to the other.
# Relies on clang-format: what is defined at that level starts in the first column.

FNR == 1 { files[++count] = FILENAME; anonymous = 0 }
{
  line = $0
  while (match(line, /[A-Za-z_][A-Za-z_0-9]*/)) {
    mentioned = substr(line, RSTART, RLENGTH)
    if (mentioned ~ /^[A-Z]/ && !((FILENAME, mentioned) in uses)) {
      uses[FILENAME, mentioned] = 1
      types[FILENAME] = types[FILENAME] " " mentioned
    }
    line = substr(line, RSTART + RLENGTH)
  }
}
/^namespace \{/ { anonymous = 1; next }
/^}  \/\/ namespace/ { anonymous = 0; next }
!anonymous || !/^[A-Za-z_].*[(={;[]/ { next }
/^(TEST|RC_|TYPED_TEST|INSTANTIATE|BENCHMARK|namespace|template|static_assert|using namespace)/ { next }

{
  text = FILENAME  # what makes two equal names the same thing after all
  name = $0
  if (name ~ /^using /) text = name
  if (name ~ /^MATCHER/) sub(/^MATCHER[A-Z_0-9]*\(/, "", name)
  sub(/^using .*::/, "using ", name)
  if (sub(/^(struct|class|enum class|enum|union|using) +/, "", name)) sub(/[^A-Za-z_0-9].*/, "", name)
  sub(/[(={;[,].*/, "", name)
  gsub(/[^A-Za-z_0-9]+/, " ", name)
  words = split(name, word, " ")
  if (words > 0) meaning[FILENAME, word[words]] = text
  if (words > 0) names[FILENAME] = names[FILENAME] " " word[words]
}

function fits(file, batch,    k, n, list) {
  n = split(names[file], list, " ")
  for (k = 1; k <= n; ++k)
    if ((batch, list[k]) in taken && taken[batch, list[k]] != meaning[file, list[k]] ||
        meaning[file, list[k]] == file && (batch, list[k]) in used) return 0
  n = split(types[file], list, " ")
  for (k = 1; k <= n; ++k)
    if ((batch, list[k]) in taken && taken[batch, list[k]] !~ /^using / &&
        taken[batch, list[k]] != file) return 0
  return 1
}

END {
  batches = int((count + 7) / 8)
  for (f = 1; f <= count; ++f) {
    best = 0
    for (b = 1; b <= batches; ++b)
      if (fits(files[f], b) && (best == 0 || size[b] < size[best])) best = b
    if (best == 0) best = ++batches
    ++size[best]
    n = split(names[files[f]], list, " ")
    for (k = 1; k <= n; ++k) taken[best, list[k]] = meaning[files[f], list[k]]
    n = split(types[files[f]], list, " ")
    for (k = 1; k <= n; ++k) used[best, list[k]] = 1
    print best, files[f]
  }
}
