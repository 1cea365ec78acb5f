// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.30;

/// A dollar of our own: as much of ERC-20 and EIP-3009 as a payment touches, with the domain of the real USDC. It has
/// no constructor, since its code is put where the real one lies; whoever asks is given tokens.
contract PaymentToken {
    string public constant name = "USD Coin";
    string public constant version = "2";
    uint8 public constant decimals = 6;

    bytes32 private constant TRANSFER = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 private constant CANCEL = keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(bytes32 => bool)) public authorizationState;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        require(block.timestamp > validAfter, "FiatTokenV2: authorization is not yet valid");
        require(block.timestamp < validBefore, "FiatTokenV2: authorization is expired");
        use(from, nonce, keccak256(abi.encode(TRANSFER, from, to, value, validAfter, validBefore, nonce)), v, r, s);
        emit AuthorizationUsed(from, nonce);
        move(from, to, value);
    }

    /// A wallet that is a contract judges its own signatures (ERC-1271).
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external {
        require(block.timestamp > validAfter, "FiatTokenV2: authorization is not yet valid");
        require(block.timestamp < validBefore, "FiatTokenV2: authorization is expired");
        require(!authorizationState[from][nonce], "FiatTokenV2: authorization is used or canceled");
        bytes32 message = keccak256(abi.encode(TRANSFER, from, to, value, validAfter, validBefore, nonce));
        require(
            from.code.length > 0 && Wallet(from).isValidSignature(digest(message), signature) == bytes4(0x1626ba7e),
            "FiatTokenV2: invalid signature"
        );
        authorizationState[from][nonce] = true;
        emit AuthorizationUsed(from, nonce);
        move(from, to, value);
    }

    function cancelAuthorization(address from, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        use(from, nonce, keccak256(abi.encode(CANCEL, from, nonce)), v, r, s);
        emit AuthorizationCanceled(from, nonce);
    }

    function use(address from, bytes32 nonce, bytes32 message, uint8 v, bytes32 r, bytes32 s) private {
        require(!authorizationState[from][nonce], "FiatTokenV2: authorization is used or canceled");
        address signer = ecrecover(digest(message), v, r, s);
        require(signer != address(0) && signer == from, "FiatTokenV2: invalid signature");
        authorizationState[from][nonce] = true;
    }

    function digest(bytes32 message) private view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256(bytes(name)),
                keccak256(bytes(version)),
                block.chainid,
                address(this)
            )
        );
        return keccak256(abi.encodePacked("\x19\x01", domain, message));
    }

    function move(address from, address to, uint256 value) private {
        require(balanceOf[from] >= value, "ERC20: transfer amount exceeds balance");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

interface Wallet {
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4);
}

/// The one function of Multicall3 that a facilitator asks.
contract Multicall {
    struct Call {
        address target;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function tryAggregate(bool requireSuccess, Call[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            (bool success, bytes memory data) = calls[i].target.call(calls[i].callData);
            require(success || !requireSuccess, "Multicall3: call failed");
            results[i] = Result(success, data);
        }
    }
}
