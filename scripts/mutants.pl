#!/usr/bin/env perl
# The faults that scripts/mutate.sh plants in a pattern's kernels, and of some kinds in what calls
# them and in the host's versions: each is one of the rules below, applied to one place of one line.
# Run in the kit's folder:
#
#   mutants.pl list PATTERN        ID, file, line, what stood there and what stands there now, with
#                                  tabs between; in the order in which they are planted
#   mutants.pl plant PATTERN ID    the file with that fault in it
#
# An ID is file:rule:line.number: a hash of the line's text, and which of the places it is that the
# rule has in lines of that text. So what is edited elsewhere changes no ID.
use strict;
use warnings;
use Digest::MD5 'md5_hex';

# ---- what can be wrong ----

my %further = ('<' => '<=', '<=' => '<= 1 +', '>' => '>=', '>=' => '>');
my %nearer = ('<' => '+ 1 <', '<=' => '<', '>' => '> 1 +', '>=' => '+ 1 >=');
my %opposite = ('==' => '!=', '!=' => '==', '&&' => '||', '||' => '&&', '&' => '|', '|' => '&',
    '^' => '|', '<<' => '>>', '>>' => '<<', '+' => '-', '-' => '+', '*' => '+', '/' => '*',
    '%' => '/', '+=' => '-=', 'x' => 'y', 'y' => 'x', 'highest' => 'lowest',
    'lowest' => 'highest', 'up' => 'down', 'down' => 'up');

my $brackets = qr/(?<brackets>\((?:[^()]++|(?&brackets))*\))/;
my $argument = qr/(?:[^(),]|$brackets)+/;
my $call = qr/(?:\w*(?:::|\.))*(?:combine|add|multiply|add_product)
    \((?<first>$argument),\s(?:$argument,\s)?(?<last>$argument)\)/x;
my $condition = qr/\bif \((?!.*(?:error|cudaSuccess)).*\)(?=(?: \{)?$)/;
my $grid = qr/prim_launch(?:_dependent)?\(\{\K(?<stream>[^,()]+), (?<grid>[^,()]+(?:\([^()]*\))?)(?=,)/;
my $place = qr/\*?[\w.>-]+(?:\[[^=]*\])*(?:\.\w+)*/; # what an assignment writes to

my $ld = qr/(?:\w+(?:\.|->))*(?:\w+_)?(?:ld[abc]?|pitch)\b/; # a leading dimension

# Name, where, and what is put there. The rules of %arithmetic apply to common's helpers too, and those
# of %host to files without kernels.
my %arithmetic = map { $_ => 1 } qw(identity operand_lost product_lost equality branches);
my %host = map { $_ => 1 } qw(bound_far bound_near refusal ld_wrong offset_cut stream_lost);
my @rules = (
    ['ld_wrong', qr/(?<=\* )($ld)/, sub { "($1 + 1)" }],
    ['ld_wrong', qr/\b($ld)(?= \*)/, sub { "($1 + 1)" }],
    ['refusal', qr/^return (?!Run::)(?=.*(?:_built|supports|fits|is\())/, sub { 'return false && ' }],
    ['refusal', qr/ \|\| [^|&;]+(?=;)/, sub { '' }],
    ['stream_lost', qr/(?<=[({, ])(?<!cudaStream_t )(?:\w+(?:\.|->))*stream(?=[,)])/, sub { 'nullptr' }],
    # to 16 bits: 32 are more than the tests' sizes need
    ['offset_cut', qr/\bstatic_cast<size_t>\(/, sub { 'static_cast<unsigned short>(' }],
    ['offset_cut', qr/\bsize_t (?=\w+ = [^,;]* [*+] )/, sub { 'unsigned short ' }],
    ['barrier_lost', qr/__sync(?:threads|warp)\([^()]*\);/, sub { ';' }],
    ['atomic_lost', qr/atomicAdd\(&([^,]+), ([^;]+)\);/, sub { "$1 += $2;" }],
    ['mask', qr/\b0x[fF](?=[fF]+u?\b)/, sub { '0x7' }],
    ['bound_far', qr/ (<|<=|>|>=)(?= (?!0\b))/, sub { " $further{$1}" }],
    ['bound_near', qr/ (<|<=|>|>=)(?= )/, sub { " $nearer{$1}" }],
    ['equality', qr/ ([!=]=)(?= |$)/, sub { " $opposite{$1}" }],
    ['logic', qr/ (&&|\|\||[&|^]|<<|>>)(?= |$)/, sub { " $opposite{$1}" }],
    ['arithmetic', qr/ ([-+*\/%]|\+=)(?= )/, sub { " $opposite{$1}" }],
    ['index', qr/(?<=[\w\]])\[([^\[\]]+)\]/, sub { "[$1 + 1]" }],
    ['stride', qr/(\w+) \+= ([\w* ]+)(?=\)(?: \{)?$)/, sub { "$1 += 1 + $2" }],
    ['stride', qr/([*\/])= 2(?=\))/, sub { "$1= 4" }],
    ['stride', qr/\b(\w+)\+\+(?=[,)])/, sub { "$1 += 2" }],
    ['start', qr/ = 0(?=[,;])/, sub { ' = 1' }],
    ['start', qr/\b(T|Out|Key)\(0\)/, sub { "$1(1)" }],
    ['identity', qr/Operator::template identity<(\w+)>\(\)/, sub { "$1(1)" }],
    ['identity', qr/\b(highest|lowest)(?=;)/, sub { $opposite{$1} }],
    ['operand_lost', $call, sub { "($+{last})" }],
    ['product_lost', $call, sub { "($+{first})" }],
    ['branches', qr/ \? ([^?:;]+) : ([^?:;,()}]+)(?=[;,)}])/, sub { " ? $2 : $1" }],
    ['guard_lost', $condition, sub { 'if (true)' }],
    ['guard_shut', $condition, sub { 'if (false)' }],
    ['axis', qr/((?:threadIdx|blockIdx|blockDim)\.)([xy])\b/, sub { "$1$opposite{$2}" }],
    ['shuffle', qr/(?<=__shfl_)(up|down)/, sub { $opposite{$1} }],
    ['step_lost', qr/^$place [-+*\/|]?= .*;/, sub { ';' }],
    ['step_lost', qr/^(?!__)[\w.:]+\(.*\);/, sub { ';' }],
    ['tail_lost', qr/prim_divide_up\(($argument), ($argument)\)/, sub { "(($1) / ($+))" }],
    ['tail_lost', qr/ \+ \([^()]+ % [^()]+ != 0\)/, sub { '' }],
    ['grid_short', $grid, sub { "$+{stream}, $+{grid} - 1" }],
    ['grid_long', $grid, sub { "$+{stream}, $+{grid} + 1" }],
);

# Lines that hold no step of a kernel: declarations of types and of memory, hints to a compiler, and
# constants, which kernels and launches share.
my $no_step = qr/^(?:$|\#|static_assert|template\b|using\b|typedef\b|(?:static\s)?constexpr\b
    |PRIM_|__(?:constant|global|host|device)__|(?:const\s)?[\w:]+\s\w+(?:\[[^\]]*\])+;|.*\(&\w+\)\[)/x;

# ---- lines ----

sub slurp {
    my ($path) = @_;
    open my $file, '<', $path or die "$path: $!\n";
    local $/;
    return scalar <$file>;
}

# The code of each line: without indentation, comments, and lines that go on with a macro.
sub code_of {
    my ($text) = @_;
    $text =~ s{(/\*.*?\*/|//[^\n]*)}{$1 =~ tr/\n//cdr}gse;
    $text =~ s{^#(?:.*\\\n)*.*}{$& =~ tr/\n//cdr}gme;
    return map { s/^\s+|\s+$//gr } split /\n/, $text, -1;
}

# ---- which files are the pattern's ----

my %included;

# What a file includes of the kit, itself first.
sub with_included {
    my ($path) = @_;
    $included{$path} //= do {
        my %all = ($path => 1);
        for (slurp("src/$path") =~ /^#include "([^"]+)"/gm) {
            $all{$_} = 1 for -e "src/$_" ? @{ with_included($_) } : ();
        }
        [sort keys %all];
    };
    return $included{$path};
}

sub of_pattern {
    my ($pattern, $name) = @_;
    return map { s{^src/}{}r } glob "src/$pattern/$name src/$pattern/*/$name";
}

sub is_host {
    my ($path) = @_;
    return $path =~ /\.c$|host\.cu$/;
}

sub kernel_files {
    my ($pattern) = @_;
    my %files;
    for my $rung (grep { !is_host($_) } of_pattern($pattern, '*.cu')) {
        $files{$_} = 1 for grep { /\.cuh?$/ } @{ with_included($rung) };
    }
    die "$pattern has no kernels\n" unless %files;
    return sort keys %files;
}

sub host_files {
    my ($pattern) = @_;
    return grep { is_host($_) } of_pattern($pattern, '*.cu'), of_pattern($pattern, '*.c');
}

# ---- all faults ----

# A barrier changes places with the statement before or behind it, of the same block, where that one
# touches memory or calls what may.
sub moved_barriers {
    my ($lines, $code, $n) = @_;
    my ($indentation) = $lines->[$n] =~ /^( *)/;
    return () unless $code->[$n] =~ /^__sync(?:threads|warp)\(/;
    my @moved;
    for my $way ([-1, 'barrier_early'], [1, 'barrier_late']) {
        my $other = $n + $way->[0];
        my $is_statement = $lines->[$other] =~ /^$indentation\S/
            && $code->[$other] =~ /^[^(){}]*(?:$brackets[^(){}]*)*;$/
            && $code->[$other] =~ /\[|^\w+\(/;
        push @moved, { rule => $way->[1], line => $other < $n ? $other : $n, lines => 2 }
            if $is_statement and $code->[$other] !~ /^(?:for|if|while|return)\b/;
    }
    return @moved;
}

# Two stores behind each other, each of the other's value.
sub exchanged_stores {
    my ($code, $n) = @_;
    my $store = qr/^(\*?[\w.>-]*(?:\[[^=]*\])+(?:\.\w+)*|\*[\w.>-]+) = (.+);$/;
    return () if $n == $#$code;
    my ($to, $value) = $code->[$n] =~ $store or return ();
    my ($next_to, $next_value) = $code->[$n + 1] =~ $store or return ();
    return () if $value eq $next_value;
    return { rule => 'stores_exchanged', line => $n, lines => 2,
        old => "$code->[$n] $code->[$n + 1]", new => "$to = $next_value; $next_to = $value;" };
}

sub faults_in {
    my ($path) = @_;
    my $text = slurp("src/$path");
    my @lines = split /\n/, $text, -1;
    my @code = code_of($text);
    my (@faults, %number);
    my $found = sub {
        my ($fault, $hashed) = @_;
        my $id = "$path:$fault->{rule}:" . substr(md5_hex($hashed), 0, 6);
        $fault->{id} = "$id." . ++$number{$id};
        $fault->{path} = $path;
        push @faults, $fault;
    };
    for my $n (0 .. $#lines) {
        next if $code[$n] =~ $no_step;
        for my $rule (@rules) {
            my ($name, $where, $what) = @$rule;
            next if $path =~ m{^common/} and not $arithmetic{$name};
            next if is_host($path) and not $host{$name};
            while ($code[$n] =~ /$where/g) {
                my ($from, $length) = ($-[0], $+[0] - $-[0]);
                my $new = $code[$n];
                substr($new, $from, $length) = $what->();
                $found->({ rule => $name, line => $n, lines => 1, old => $code[$n], new => $new },
                    $code[$n]);
            }
        }
        for my $moved (moved_barriers(\@lines, \@code, $n)) {
            my @pair = @code[$moved->{line}, $moved->{line} + 1];
            $found->({ %$moved, old => "@pair", new => "$pair[1] $pair[0]" }, "@pair");
        }
        $found->($_, $_->{old}) for $path =~ m{^common/} ? () : exchanged_stores(\@code, $n);
    }
    return @faults;
}

# ---- in which order ----

# The files take turns; each takes the rule that was used least so far, and of its places that with
# the smallest hash, so that the choice is spread and the same in every run.
sub in_order {
    my @faults = @_;
    my (%left, %used, @order);
    push @{ $left{ $_->{path} }{ $_->{rule} } }, $_
        for sort { md5_hex($a->{id}) cmp md5_hex($b->{id}) } @faults;
    while (%left) {
        for my $path (sort keys %left) {
            my $rules = $left{$path};
            my ($rule) = sort {
                ($used{$a} // 0) <=> ($used{$b} // 0)
                    or md5_hex("$path $a") cmp md5_hex("$path $b")
            } keys %$rules;
            push @order, shift @{ $rules->{$rule} };
            $used{$rule}++;
            delete $rules->{$rule} unless @{ $rules->{$rule} };
            delete $left{$path} unless %$rules;
        }
    }
    return @order;
}

# ---- the two commands ----

sub list {
    my ($pattern) = @_;
    for my $fault (in_order(map { faults_in($_) } kernel_files($pattern), host_files($pattern))) {
        my $line = $fault->{line} + 1;
        print join("\t", $fault->{id}, "src/$fault->{path}", $line, $fault->{old}, $fault->{new}),
            "\n";
    }
}

sub plant {
    my ($pattern, $id) = @_;
    my ($path) = split /:/, $id;
    my ($fault) = grep { $_->{id} eq $id } faults_in($path);
    die "there is no fault $id\n" unless $fault;
    my @lines = split /\n/, slurp("src/$path"), -1;
    splice @lines, $fault->{line}, $fault->{lines}, $fault->{new};
    print join "\n", @lines;
}

my ($command, @arguments) = @ARGV;
my %commands = (list => [\&list, 1], plant => [\&plant, 2]);
my $chosen = $commands{ $command // '' };
die "usage: mutants.pl list PATTERN | plant PATTERN ID\n"
    unless $chosen and @arguments == $chosen->[1];
$chosen->[0]->(@arguments);
